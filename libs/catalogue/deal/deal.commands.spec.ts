import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { EmbeddedLog } from '#adapters/embedded';
import { catalogue } from '#catalogue/model';
import { Codec, CommandLoop, newContext, SteppableClock, type Engine } from '#eventsourcing';
import { DAY } from '#kernel';
import { purchasing } from '#purchasing/model';
import { tempFolder } from '../../../test/support/temp-folder.js';
import { region } from '../region/region.decider.js';
import { PutDeal, PutDealHandler } from './deal.commands.js';
import { readDeal } from './deal.schema.js';

const LARGE = 600_000;

describe('a PUT of a deal', () => {
  const clock = new SteppableClock();
  let folder: ReturnType<typeof tempFolder>;
  let log: EmbeddedLog;
  let loop: CommandLoop;

  const put = (parameters: Readonly<Record<string, unknown>>): Promise<unknown> => {
    const handler = new PutDealHandler({ loop, clock } as Partial<Engine> as Engine);
    return handler.execute(new PutDeal('spa', readDeal(parameters), newContext(clock, 'operator:ann')));
  };
  const eventsOf = async (stream: string): Promise<readonly string[]> =>
    (await log.readStream(stream, 0, 100)).map(({ type }) => type);

  beforeEach(async () => {
    folder = tempFolder();
    log = await EmbeddedLog.open({ file: join(folder.path, 'events.db') });
    const contexts = [catalogue, purchasing];
    const codec = new Codec(contexts.flatMap(({ events }) => events));
    loop = new CommandLoop({ log, codec, clock, followers: contexts.flatMap(({ followers }) => followers) });
    const boston = { name: 'Boston', time_zone: 'America/New_York' };
    await loop.execute(region, 'boston', { type: 'set', id: 'boston', changes: boston }, newContext(clock, 'a'));
    const now = clock.now();
    const run = { start_at: new Date(now).toISOString(), end_at: new Date(now + 9 * DAY).toISOString() };
    await put({ title: 'Spa', region_id: 'boston', current_price: 900, value: 1_000, stock: 5, ...run });
  });
  afterEach(async () => {
    await loop.close();
    await log.close();
    folder.remove();
  });

  it('changes stock, codes and attributes', async () => {
    await put({ stock: 6, redemption_code_pool: ['a', 'b'], title: 'Spa day' });
    expect(await eventsOf('deal-spa')).toEqual(['deal-created.v1', 'deal-changed.v1']);
    const more = ['stock-set.v1', 'codes-added.v1', 'terms-set.v1'];
    expect(await eventsOf('inventory-spa')).toEqual(['stock-set.v1', 'terms-set.v1', ...more]);
  });

  it.each([
    ['for its size', { description1: 'x'.repeat(LARGE) }, 'too_large'],
    ['for the size of its codes', { redemption_code_pool: ['a', 'x'.repeat(LARGE)] }, 'too_large'],
    ['for the size of its last codes', { redemption_code_pool: manyCodes('x'.repeat(LARGE)) }, 'too_large'],
    ['for what it says', { end_at: '2001-01-01T00:00:00Z' }, 'deal_window_empty'],
  ])('that is refused %s has changed nothing, its stock neither', async (_, given, code) => {
    await expect(put({ stock: 50, title: 'Spa day', ...given })).rejects.toMatchObject({ code });
    expect(await eventsOf('deal-spa')).toEqual(['deal-created.v1']);
    expect(await eventsOf('inventory-spa')).toEqual(['stock-set.v1', 'terms-set.v1']);
  });
});

/** So many that they do not go into one event, with this one at the end. */
function manyCodes(last: string): readonly string[] {
  return [...Array.from({ length: 2_000 }, (_, n) => `code-${n}`), last];
}
