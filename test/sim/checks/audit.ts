import type { EventLogReader, SnapshotStore, ViewReaders } from '#eventsourcing';
import { type Fault, WHOLE } from '#eventsourcing/verify';
import type { Recorded } from '#kernel';
import { auditPass } from '#platform';
import type { World } from '../world/world.js';
import { Violation } from './violation.js';

/** The most bytes that folded streams hold: so few that many are forgotten, and read again. */
const BYTES = 200_000;

/**
 * Audits the log of a world at rest: whatever has failed in it, its past must not contradict itself. Rows are compared elsewhere.
 * @throws Violation
 */
export async function checkAudit(events: readonly Recorded[], { scheduler }: World): Promise<void> {
  const until = events.at(-1)?.position ?? 0n;
  const streams = new Map<string, Recorded[]>();
  for (const event of events) {
    const own = streams.get(event.stream);
    if (own === undefined) streams.set(event.stream, [event]);
    else own.push(event);
  }
  const log = {
    identity: 'simulated',
    countsBytes: false,
    head: () => Promise.resolve(until),
    eventAt: (position: bigint) => Promise.resolve(events.find((event) => event.position === position)),
    readStream: (stream: string, from: number, max: number) =>
      Promise.resolve((streams.get(stream) ?? []).slice(from, from + max)),
    async *subscribe(after: bigint) {
      yield { events: events.filter(({ position }) => position > after), caughtUp: true };
    },
    close: () => Promise.resolve(),
  } satisfies EventLogReader;
  const nothing = { get: () => Promise.resolve(undefined), position: () => Promise.resolve(until) };
  const views = { reader: () => nothing, refresh: () => undefined } as unknown as ViewReaders;
  const snapshots = { get: () => Promise.resolve(undefined) } as unknown as SnapshotStore;
  const accepted = { codes: new Set<string>(), logsAt: [], streams: new Set<string>() };
  const faults: Fault[] = [];
  await auditPass(
    { log, views, snapshots, digests: {}, accepted, time: scheduler as never },
    { after: 0n, until, order: true, streams: WHOLE, bytes: BYTES },
    {
      fault: (fault) => faults.push(fault),
      found: () => undefined,
      between: () => undefined,
      signal: new AbortController().signal,
    },
  );
  const [first] = faults;
  if (first === undefined) return;
  const more = faults.length > 1 ? ` (and ${faults.length - 1} more)` : '';
  throw new Violation(
    'a log of ours does not contradict itself',
    first.where ?? `position ${first.position}`,
    `${first.what}${more}`,
  );
}
