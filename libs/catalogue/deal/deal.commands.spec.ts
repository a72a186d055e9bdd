import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { EmbeddedLog } from '#adapters/embedded';
import { catalogue } from '#catalogue/model';
import { thisMachine } from '#adapters/machine';
import { Codec, CommandLoop, MAX_APPEND_BYTES, newContext, SteppableClock, Unavailable } from '#eventsourcing';
import type { Engine } from '#platform';
import type { ValidationFailed } from '#http';
import { DAY } from '#kernel';
import {
  inventory,
  noInventory,
  type InventoryCommand,
  type InventoryEvent,
  type InventoryState,
  purchasing,
} from '#purchasing/model';
import { openGuard } from '../../../test/support/open-guard.js';
import { tempFolder } from '../../../test/support/temp-folder.js';
import { SetRegion, SetRegionHandler } from '../region/region.commands.js';
import { region } from '../region/region.decider.js';
import { MoveDeal, MoveDealHandler, PutDeal, PutDealHandler, SetStock, SetStockHandler } from './deal.commands.js';
import { deal, type DealCommand } from './deal.decider.js';
import { readDeal } from './deal.schema.js';
import type { DealState } from './deal.state.js';
import { engineOf } from '../../../test/support/engine-of.js';

const LARGE = 600_000;
const PLACE = { address: { latitude: 1, longitude: 1 }, hours: 'x'.repeat(1_000) };

describe('a PUT of a deal', () => {
  const clock = new SteppableClock(Date.now);
  let folder: ReturnType<typeof tempFolder>;
  let log: EmbeddedLog;
  let loop: CommandLoop;
  let engine: Engine;
  const codec = new Codec([catalogue, purchasing].flatMap(({ events }) => events));

  /** @param codes replace those in the parameters, which have a bound */
  const put = (parameters: Readonly<Record<string, unknown>>, codes?: readonly string[]): Promise<unknown> => {
    const handler = new PutDealHandler(engine.writer);
    const read = readDeal(parameters);
    const given = { ...read, codes: codes ?? read.codes };
    return handler.execute(
      new PutDeal('spa', given, newContext({ clock, randomness: thisMachine.randomness }, 'operator:ann')),
    );
  };
  const eventsOf = async (stream: string): Promise<readonly string[]> =>
    (await log.readStream(stream, 0, 100)).map(({ type }) => type);

  beforeEach(async () => {
    folder = tempFolder();
    log = await EmbeddedLog.open({ file: join(folder.path, 'events.db') });
    const contexts = [catalogue, purchasing];
    loop = new CommandLoop({
      log,
      codec,
      clock,
      followers: contexts.flatMap(({ followers }) => followers),
      machine: thisMachine,
      guard: openGuard(),
    });
    engine = engineOf({ loop, log, codec, clock, ...thisMachine });
    const boston = { name: 'Boston', time_zone: 'America/New_York' };
    await loop.execute(
      region,
      'boston',
      { type: 'set', id: 'boston', changes: boston },
      newContext({ clock, randomness: thisMachine.randomness }, 'a'),
    );
    const now = clock.now();
    const run = { start_at: new Date(now).toISOString(), end_at: new Date(now + 9 * DAY).toISOString() };
    await put({ title: 'Spa', region_id: 'boston', current_price: 900, value: 1_000, stock: 5, ...run });
  });
  afterEach(async () => {
    await loop.close();
    await log.close();
    folder.remove();
  });

  // The terms of a new deal begin its inventory. One that is there but hidden would look new to the loop, and not to the log.
  it('creates no deal whose inventory cannot be read', async () => {
    const read = log.readStream.bind(log);
    log.readStream = async (stream, ...asked) => {
      if (stream === 'inventory-spa-night') throw new Unavailable('its events are hidden');
      return read(stream, ...asked);
    };
    const { attributes } = (await loop.read(deal, 'spa')) ?? {};
    const input = { attributes: attributes ?? {}, codes: [], localExpiry: undefined, stock: undefined };
    const command = new PutDeal('spa-night', input, newContext({ clock, ...thisMachine }, 'operator:ann'));
    await expect(new PutDealHandler(engine.writer).execute(command)).rejects.toThrow('its events are hidden');
    expect(await eventsOf('deal-spa-night')).toEqual([]);
  });

  describe('G4: a stock whose handler looked before the deal closed more than it remembers', () => {
    /** More closings than a deal knows by their ids. */
    const CLOSINGS = 4_200;
    const context = (): ReturnType<typeof newContext> => newContext({ clock, ...thisMachine }, 'operator:ann');
    const input = { attributes: {}, codes: [], localExpiry: undefined, stock: 70 };

    it.each([
      ['PUT …/stock', () => new SetStockHandler(engine.writer).execute(new SetStock('spa', 70, context()))],
      ['PUT of the deal', () => new PutDealHandler(engine.writer).execute(new PutDeal('spa', input, context()))],
    ])('is set once, after another look: %s', async (_, set) => {
      const execute = loop.execute.bind(loop) as (...args: readonly unknown[]) => Promise<unknown>;
      const tries: string[] = [];
      loop.execute = (async (...args: readonly [unknown, string, { readonly type: string }, unknown]) => {
        if (args[2].type !== 'set-stock') return execute(...args);
        for (let nth = 0; nth < CLOSINGS && tries.length === 0; nth += 1) {
          const change = { units: 100 + (nth % 2), change_id: `change-${nth}`, looked: Infinity };
          await execute(inventory, 'spa', { type: 'set-stock', ...change }, context());
        }
        const outcome = execute(...args);
        await outcome.then(
          () => tries.push('decided'),
          (error: unknown) => tries.push((error as Error).name),
        );
        return outcome;
      }) as CommandLoop['execute'];
      await set();
      expect(tries).toEqual(['LookAgain', 'decided']);
      expect((await loop.readNow(inventory, 'spa')).stock).toBe(70);
    });
  });

  describe('A11: the repeat of a call that broke off after its change', () => {
    const operator = (): ReturnType<typeof newContext> =>
      newContext({ clock, randomness: thisMachine.randomness }, 'operator:ann');

    it('leaves the price that another operator has set since', async () => {
      const price = (cents: number, context = operator()): Promise<unknown> =>
        new PutDealHandler(engine.writer).execute(new PutDeal('spa', readDeal({ current_price: cents }), context));
      const first = operator();
      await price(950, first);
      await price(1_000);
      expect(await price(950, { ...first, resumed: true })).toMatchObject({
        row: { attributes: { current_price: 1_000 } },
      });
      expect((await loop.readNow(deal, 'spa'))?.attributes.current_price).toBe(1_000);
    });

    it('leaves the state to which another operator has moved the deal since', async () => {
      const move = (to: DealState, context = operator()): Promise<unknown> =>
        new MoveDealHandler(engine.writer).execute(new MoveDeal('spa', to, null, context));
      for (const to of ['in-review', 'approved'] as const) await move(to);
      const first = operator();
      await move('paused', first);
      await move('in-flight');
      expect(await move('paused', { ...first, resumed: true })).toMatchObject({ row: { state: 'in-flight' } });
      expect((await loop.readNow(deal, 'spa'))?.state).toBe('in-flight');
    });

    it('leaves what another operator has set of the region since', async () => {
      const freshness = { until: () => Promise.resolve() };
      const { writer, reader } = engineOf({ loop, log, codec, freshness });
      const handler = new SetRegionHandler(writer, reader);
      const name = (to: string, context = operator()): Promise<unknown> =>
        handler.execute(new SetRegion('boston', { name: to }, context));
      const first = operator();
      await name('One', first);
      await name('Two');
      expect(await name('One', { ...first, resumed: true })).toMatchObject({ row: { name: 'Two' } });
    });
  });

  describe('A11: after a process that changed the deal and died before its followers wrote to the inventory', () => {
    /** Decides like that process, without followers. */
    const decide = async (command: DealCommand): Promise<void> => {
      const other = new CommandLoop({ log, codec, clock, followers: [], machine: thisMachine, guard: openGuard() });
      const { events } = await other.execute(
        deal,
        'spa',
        command,
        newContext({ clock, ...thisMachine }, 'operator:ann'),
      );
      await other.close();
      expect(events).toHaveLength(1);
    };
    const terms = async (): Promise<unknown> => (await loop.read(inventory, 'spa')).terms;

    it('a repeat of the change writes the terms, and returns the position', async () => {
      await decide({ type: 'put', deal_id: 'spa', changes: { current_price: 700 } });
      const done = await put({ current_price: 700 });
      expect(await terms()).toMatchObject({ price: 700, deal: { revision: 1 } });
      expect(done).toMatchObject({ position: await log.head() });
      expect(await put({ current_price: 700 })).toMatchObject({ position: undefined });
    });

    it('a repeat of a move writes the terms, after more than one change', async () => {
      const move = (to: 'in-flight'): Promise<unknown> =>
        new MoveDealHandler(engine.writer).execute(
          new MoveDeal('spa', to, null, newContext({ clock, ...thisMachine }, 'operator:ann')),
        );
      await decide({ type: 'move', to: 'in-review', reason: null });
      await decide({ type: 'move', to: 'approved', reason: null });
      // The deal is on sale already: the move leads to no event.
      await move('in-flight');
      expect(await terms()).toMatchObject({ on_sale: true, deal: { revision: 2 } });
    });
  });

  it('changes stock, codes and attributes', async () => {
    await put({ stock: 6, redemption_code_pool: ['a', 'b'], title: 'Spa day' });
    expect(await eventsOf('deal-spa')).toEqual(['deal-created.v1', 'deal-changed.v1']);
    const more = ['stock-set.v1', 'codes-added.v1', 'terms-set.v1'];
    expect(await eventsOf('inventory-spa')).toEqual(['stock-set.v1', 'terms-set.v1', ...more]);
  });

  it.each([
    ['for its size', { locations: Array(LARGE / 1_000).fill(PLACE) }, [], 'too_large'],
    ['for the size of its codes', {}, ['a', 'x'.repeat(LARGE)], 'too_large'],
    ['for the size of its last codes', {}, manyCodes('x'.repeat(LARGE)), 'too_large'],
    ['for what it says', { end_at: '2001-01-01T00:00:00Z' }, [], 'deal_window_empty'],
  ])('that is refused %s changes nothing, not even the stock', async (_, given, codes, code) => {
    await expect(put({ stock: 50, title: 'Spa day', ...given }, codes)).rejects.toMatchObject({ code });
    expect(await eventsOf('deal-spa')).toEqual(['deal-created.v1']);
    expect(await eventsOf('inventory-spa')).toEqual(['stock-set.v1', 'terms-set.v1']);
  });
});

const WIDEST = '\u20ac';

/** The faults of a body, without its values. */
function faultsIn(body: Readonly<Record<string, unknown>>): unknown {
  try {
    return readDeal(body);
  } catch (error) {
    return (error as ValidationFailed).entries.map(({ field, message }) => `${field} ${message}`);
  }
}

describe('the texts of a deal that the event of a sale holds', () => {
  it.each([
    ['title', 1_000],
    ['image', 2_000],
  ])('A2: %s has at most %d characters', (field, most) => {
    expect(readDeal({ [field]: 'x'.repeat(most) }).attributes).toEqual({ [field]: 'x'.repeat(most) });
    expect(faultsIn({ [field]: 'x'.repeat(most + 1) })).toEqual([`${field} must have at most ${most} characters`]);
  });

  it('D10: a redemption code has at most 100 characters, and none that an event must escape', () => {
    const codes = ['x'.repeat(100), 'SPA 1/2 "\u00e9\u20ac"'];
    expect(readDeal({ redemption_code_pool: codes }).codes).toEqual(codes);
    const field = 'redemption_code_pool';
    expect(faultsIn({ redemption_code_pool: ['x'.repeat(101)] })).toEqual([
      `${field} must have at most 100 characters`,
    ]);
    for (const wrong of ['a\u0000', 'a\nb', '\ud800']) {
      expect(faultsIn({ redemption_code_pool: [wrong] })).toEqual([`${field} must have no control characters`]);
    }
  });

  it('D10: codes that look the same are one code, in a call and in the pool; case counts', async () => {
    const same = ['X1', ' X1', 'X1 ', '\ufeffX1\t'];
    expect(readDeal({ redemption_code_pool: same }).codes).toEqual(['X1', 'X1', 'X1', 'X1']);
    expect(readDeal({ redemption_code_pool: 'X1, x1,\u00e9,e\u0301' }).codes).toEqual(['X1', 'x1', '\u00e9', '\u00e9']);
    for (const invisible of ['X\u200b1', 'X1\u202e', 'X\u00ad1', 'X\u20601'])
      expect(faultsIn({ redemption_code_pool: [invisible] })).toEqual([
        'redemption_code_pool must have no invisible characters',
      ]);
    expect(faultsIn({ redemption_code_pool: ['X1', ' '] })).toEqual(['redemption_code_pool must not be blank']);
  });

  it('G4: the same tag twice is one tag, without the blanks around it', () => {
    expect(readDeal({ tags: ' bg, spa,bg ' }).attributes.tags).toEqual(['bg', 'spa']);
  });

  // Longer codes were once accepted: a hold of 500 units could not be claimed after the buyer had paid the partner.
  it('D2, D3, D7, D10: a sale of a thousand units with the longest codes fits one append, together with its followers', () => {
    const terms = {
      deal: {
        id: 'x'.repeat(200),
        revision: 9e15,
        title: WIDEST.repeat(1_000),
        type: 'daily-deal',
        image: WIDEST.repeat(2_000),
      },
      on_sale: true,
      start_at: 0,
      end_at: 9e15,
      price: 1_000_000_000_000,
      max_per_user: null,
      expires_at: 9e15,
      expiration_days: null,
    };
    const codes = Array.from({ length: 1_000 }, (_, n) => `${n}`.padEnd(100, WIDEST));
    const ids = Array.from({ length: 1_000 }, (_, n) => ({ id: `${n}`.padEnd(32, 'f'), barcode: '012345678901' }));
    let state = [{ type: 'set-terms', terms } as const, { type: 'add-codes', codes, seen: 0 } as const].reduce(
      (before, command) => after(before, command),
      noInventory,
    );
    const parties = { partner_id: 'f'.repeat(64), user_id: 'f'.repeat(64), quantity: 1_000, coupons: ids };
    const claim = {
      type: 'claim',
      number: 0,
      purchase_id: 'p',
      price: 1e12,
      deal: terms.deal,
      reserved_at: 0,
      holder_id: null,
      ...parties,
    } as const;
    const held = { partner_id: 'f'.repeat(64), quantity: 1_000, holder_id: null };
    state = after(state, { type: 'place-hold', looked: Infinity, reservation_id: 'p', ...held });
    expect(sizes(inventory.decide(claim, state, 1))).toEqual(['fits']);
    state = after(after(state, { type: 'release', number: 0, reservation_id: 'p' }), {
      type: 'set-stock',
      looked: Infinity,
      units: null,
      change_id: 'c',
    });
    const [started] = inventory.decide(
      {
        type: 'start-checkout',
        looked: Infinity,
        ...parties,
        purchase_id: 'q',
        credit_card_id: 'f'.repeat(64),
        shipping_address_id: 'f'.repeat(64),
        session_id: WIDEST.repeat(255),
        expected_price: null,
        takeover_after: 1,
      },
      state,
      1,
    );
    expect(sizes([started])).toEqual(['fits']);
    const rest = MAX_APPEND_BYTES - Buffer.byteLength(JSON.stringify(started?.data));
    // Its followers' events share the append.
    expect(rest).toBeGreaterThan(50_000);
  });
});

function after(state: InventoryState, command: InventoryCommand): InventoryState {
  return inventory.decide(command, state, 1, 1).reduce((before, event) => inventory.evolve(before, event), state);
}

/** Tells for each event whether it fits one append. */
function sizes(events: readonly (InventoryEvent | undefined)[]): readonly string[] {
  return events.map((event) =>
    Buffer.byteLength(JSON.stringify(event?.data)) <= MAX_APPEND_BYTES ? 'fits' : 'is too large',
  );
}

/** Too many codes for one event, with this one at the end. */
function manyCodes(last: string): readonly string[] {
  return [...Array.from({ length: 2_000 }, (_, n) => `code-${n}`), last];
}
