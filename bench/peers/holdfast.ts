import { once } from 'node:events';
import { createWriteStream, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Holdfast } from '../../test/bench/servers/holdfast.js';
import type { Request } from '../../test/bench/load/visit.js';
import { startHoldfast } from './ours.ts';
import { itemIds, REGION, type Item, type Peer } from './peer.ts';

/** Of hot items: they are not in the list. */
const HOT_REGION = 'hotland';
const PRICE = 1_000;
const STOCK = 1_000_000_000;
const DAY = 86_400_000;
const MINUTE = 60_000;
/** Deals per call of the import. */
const AT_ONCE = 1_000;
/** About as long as the texts of real deals. */
const DESCRIPTION = 'An hour for two, with tea in the garden and a view of the harbour. '.repeat(4);

/** Starts the service of this checkout on a new folder, with a catalogue, and writes the items for the other peers. */
export async function startOurs(
  folder: string,
  count: number,
  file: string,
): Promise<Peer & { stop(): Promise<void> }> {
  const data = join(folder, 'holdfast');
  mkdirSync(data);
  const holdfast = await startHoldfast(data, folder);
  try {
    return await withCatalogue(holdfast, count, file);
  } catch (error) {
    await holdfast.stop();
    throw error;
  }
}

async function withCatalogue(
  holdfast: Holdfast,
  count: number,
  file: string,
): Promise<Peer & { stop(): Promise<void> }> {
  const { service } = holdfast;
  const { key } = await service.newPartner('peers');
  const { now } = await service.operate('GET', '/clock');
  const at = (milliseconds: number): string => new Date(Date.parse(now as string) + milliseconds).toISOString();
  const ids = itemIds(count);
  const deal = (id: string, region_id: string, stock: number, starts: string): object => ({
    kind: 'deal',
    slug: id,
    title: `Deal ${id}`,
    state: 'approved',
    region_id,
    start_at: starts,
    end_at: at(9 * DAY),
    current_price: PRICE,
    value: 2 * PRICE,
    stock,
    max_per_user: null,
    image: '/images/deal.jpg',
    description1: DESCRIPTION,
  });
  const starts = ids.map((_, nth) => at(-DAY - nth * MINUTE));
  const region = { kind: 'region', time_zone: 'America/New_York' };
  await importLines(
    holdfast,
    [REGION, HOT_REGION].map((slug) => ({ ...region, slug, name: slug })),
  );
  for (let from = 0; from < count; from += AT_ONCE) {
    const some = ids.slice(from, from + AT_ONCE);
    await importLines(
      holdfast,
      some.map((id, nth) => deal(id, REGION, STOCK, starts[from + nth] ?? '')),
    );
  }
  const headers = [`X-Api-Key: ${key}`];
  const stocks = new Map<string, number>();
  const get = (path: string): Request => ({ method: 'GET', path, headers });
  const listed = createWriteStream(file);
  for (const [nth, id] of ids.entries()) {
    const { body } = await service.ask('GET', `/deals/${id}`, { key });
    const item: Item = { id, region: REGION, starts: starts[nth] ?? '', json: JSON.stringify(body.deal) };
    listed.write(`${JSON.stringify(item)}\n`);
  }
  await once(listed.end(), 'close');
  return {
    title: 'Holdfast',
    server: holdfast,
    reserve: (item) => {
      const body = JSON.stringify({ deal_id: item, num_bought: 1 });
      return { requests: [{ method: 'POST', path: '/purchases/reserve', headers, body }] };
    },
    accepted: (status) => status === 200,
    list: () => ({ requests: [get(`/v1/deals?region=${REGION}`)] }),
    read: () => ({ requests: [get('/deals/{value}')], values: ids }),
    addItem: async (item, stock) => {
      stocks.set(item, stock);
      await importLines(holdfast, [deal(item, HOT_REGION, stock, at(-DAY))]);
    },
    taken: async (item) => {
      const { body } = await service.look(`/deals/${item}`, key);
      return (stocks.get(item) ?? 0) - Number(body.deal.num_left);
    },
    stop: () => holdfast.stop(),
  };
}

/** Sends lines to the import of operators. */
async function importLines({ service }: Holdfast, lines: readonly object[]): Promise<void> {
  const { body, text } = await service.ask('POST', '/operators/import', {
    token: service.operatorToken,
    headers: { 'content-type': 'application/x-ndjson' },
    body: lines.map((line) => `${JSON.stringify(line)}\n`).join(''),
  });
  if (body?.status !== 'success' || body.refused.length > 0) throw new Error(text.slice(0, 1_000));
}
