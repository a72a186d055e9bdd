import { expect } from '@jest/globals';
import { Certificate, DealExport } from '#auditing';
import { idOf, type Recorded } from '#kernel';
import { codec } from '#platform/model';

/** Events in a page of a stream: few, so that every stream has several. */
const PAGE = 7;

/** A certificate, and the lines that it is made from. */
export interface Certified {
  readonly text: string;
  readonly lines: string;
}

/**
 * The certificate of a deal from a log in memory.
 * @param later milliseconds from the log's last event to the moment that the certificate speaks of
 * @param until the position of the last event to look at; the last one by default
 */
export async function certified(
  events: readonly Recorded[],
  deal: string,
  { later = 0, until = events.at(-1)?.position ?? 0n }: { readonly later?: number; readonly until?: bigint } = {},
): Promise<Certified> {
  const streams = Map.groupBy(events, ({ stream }) => stream);
  const last = events.findLast(({ position }) => position <= until);
  const whole = (stream: string): readonly Recorded[] => streams.get(stream) ?? [];
  const source = new DealExport(
    {
      until: { position: until, time: (last?.metadata.time ?? 0) + later },
      read: (stream, from) =>
        Promise.resolve(
          whole(stream)
            .filter(({ revision }) => revision >= from)
            .slice(0, PAGE),
        ),
      whole: (stream) => Promise.resolve(whole(stream)),
    },
    deal,
  );
  const certificate = new Certificate(source.begin);
  let lines = `${JSON.stringify(source.begin)}\n`;
  for await (const some of source.lines()) {
    for (const line of some) {
      const text = `${JSON.stringify(line)}\n`;
      certificate.take(line, text);
      lines += text;
    }
  }
  return { text: certificate.end(), lines: `${lines}{"end":{}}\n` };
}

/**
 * Expects that the certificate of each deal of a log is sound (ruling G7.4).
 * @param deals `none` if the log has only the inventories of deals: then each of their terms names a deal that is missing
 */
export async function expectCertified(stored: readonly Recorded[], deals: 'all' | 'none' = 'all'): Promise<void> {
  const events = stored.map((event) => codec.decode(event));
  for (const [stream, own] of Map.groupBy(events, (event) => event.stream)) {
    if (!stream.startsWith('inventory-')) continue;
    const { text } = await certified(events, idOf(stream));
    const lines = text.split('\n');
    const terms = own.filter(({ type }) => type === 'terms-set.v1').length;
    expect({
      stream,
      broken: lines.filter((line) => /^rule .*: broken/.test(line)),
      faults: deals === 'all' ? lines.filter((line) => line.startsWith('fault ')) : [],
    }).toEqual({ stream, broken: deals === 'all' ? [] : [`rule accounts: broken ${terms} times`], faults: [] });
  }
}
