import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Unavailable, type Vault } from '#eventsourcing';
import type { Engine } from '#platform';
import type { Position } from '#kernel';
import { openCard, StoreCard, type CardDetails } from '#people';
import { wallet } from '#people/model';
import { StoreCardHandler } from '../../people/card/store-card.commands.js';
import { openShop, type Shop } from '../../../test/support/shop.js';
import { GatewayOutcomeUnknown } from '../ports/payment-gateway.js';
import { purchase } from '../purchase/purchase.decider.js';
import { destroyNumbers } from './destroy-numbers.js';
import { engineOf } from '../../../test/support/engine-of.js';

const DETAILS: CardDetails = { number: '4242424242424242', month: '12', year: '2035', zip_code: '02114' };

describe('I13: the number of a deleted card', () => {
  let shop: Shop;
  /** The id of a card that Ann has stored: a keyed hash. */
  let card: string;
  /** Charges without an outcome, as the view has them. */
  let open: number;
  let waits: Position[];
  let engine: Engine;

  beforeEach(async () => {
    shop = await openShop();
    [open, waits] = [0, []];
    const { loop, log, vault, keyring, clock, randomness } = shop.engine;
    const freshness = { until: async (_: unknown, position: Position) => void waits.push(position) };
    const views = { reader: () => ({ count: async () => open }) };
    engine = engineOf({ loop, log, vault, keyring, clock, randomness, freshness, views });
    card = await store();
  });
  afterEach(() => shop.close());

  const store = async (details = DETAILS): Promise<string> =>
    (
      await new StoreCardHandler(engine.writer, engine.keyring, engine.vault).execute(
        new StoreCard('acme', shop.ann, details, shop.context()),
      )
    ).row;
  const remove = (): Promise<unknown> =>
    engine.loop.execute(wallet, shop.ann, { type: 'delete', card_id: card }, shop.context());
  const destroy = (life = 0): Promise<void> =>
    destroyNumbers(engine.writer, engine.reader, engine.vault).run(`${card}.${life}`, {
      card_id: card,
      user_id: shop.ann,
      life,
      due_at: 0,
    });
  const kept = (life = 0): Promise<CardDetails | undefined> =>
    openCard(engine.vault, life === 0 ? card : `${card}.${life}`);
  const events = async (): Promise<readonly string[]> =>
    (await shop.stored('wallet', shop.ann))
      .filter(({ data }) => (data as { card_id: string }).card_id === card)
      .map(({ type }) => type);

  it('is destroyed at once, and only once, if no charge is open', async () => {
    await remove();
    await destroy();
    expect(await kept()).toBeUndefined();
    await destroy();
    expect(await events()).toEqual(['card-stored.v1', 'card-deleted.v1', 'card-number-destroyed.v1']);
  });

  it('stays while a charge of it has no outcome, as the end of the log says', async () => {
    await remove();
    const head = await engine.log.head();
    open = 1;
    await expect(destroy()).rejects.toBeInstanceOf(Unavailable);
    expect(waits).toEqual([head]);
    expect(await kept()).toEqual(DETAILS);
    open = 0;
    await destroy();
    expect(await kept()).toBeUndefined();
  });

  it('is destroyed again after a crash before its event', async () => {
    await remove();
    await engine.vault.destroy(card);
    await destroy();
    expect((await events()).at(-1)).toBe('card-number-destroyed.v1');
  });

  it('is another one when it is stored again: whatever destroys the old one, however late, leaves it', async () => {
    await remove();
    const renewed = { ...DETAILS, year: '2036' };
    expect(await store(renewed)).toBe(card);
    open = 1;
    await destroy();
    expect([await kept(0), await kept(1)]).toEqual([undefined, renewed]);
    await remove();
    open = 0;
    await destroy(1);
    expect(await kept(1)).toBeUndefined();
    expect(await store()).toBe(card);
    expect(await kept(2)).toEqual(DETAILS);
  });

  it('is stored nowhere else if it is deleted while somebody stores it', async () => {
    let times = 0;
    const { writer, vault, keyring } = shop.engine;
    const racing: Vault = {
      destroy: (id: string) => vault.destroy(id),
      fingerprint: (text: string) => vault.fingerprint(text),
      put: async (id: string, secret: Buffer) => {
        times += 1;
        if (times === 1) {
          await remove();
          await destroy();
        }
        await vault.put(id, secret);
      },
      get: (id: string) => vault.get(id),
      close: () => vault.close(),
    };
    const done = await new StoreCardHandler(writer, keyring, racing).execute(
      new StoreCard('acme', shop.ann, DETAILS, shop.context()),
    );
    expect(done.row).toBe(card);
    expect((await engine.loop.read(wallet, shop.ann)).cards.get(card)).toMatchObject({ deleted: false, life: 1 });
    expect([await kept(0), await kept(1)]).toEqual([undefined, DETAILS]);
  });

  it('D7: a charge that was open goes on with it, also when the card was stored again', async () => {
    shop.gateway.onCharge = async () => {
      throw new GatewayOutcomeUnknown('no answer');
    };
    const { id } = await shop.buy(1);
    await engine.loop.execute(wallet, shop.ann, { type: 'delete', card_id: shop.card }, shop.context());
    shop.gateway.onCharge = async () => ({ kind: 'approved', reference: 'c-2' });
    const again = shop.charging.work.find(({ list }) => list.name === 'open-checkouts');
    await again?.run(id, { due_at: 0 });
    expect((await engine.loop.read(purchase, id)).status).toBe('sold');
  });

  it('D7: a purchase that was checked before, and opens its charge after the number is gone, is declined and takes nothing', async () => {
    await engine.vault.destroy(shop.card);
    shop.gateway.onCancel = async () => ({ amount: 0, reference: null });
    await expect(shop.buy(1)).rejects.toMatchObject({
      code: 'declined',
      message: expect.stringMatching(/^purchase declined: /),
    });
    expect(shop.gateway.calls.filter((call) => call.startsWith('charge'))).toEqual([]);
  });

  it('a purchase with a deleted card is refused before it takes units', async () => {
    await engine.loop.execute(wallet, shop.ann, { type: 'delete', card_id: shop.card }, shop.context());
    await expect(shop.buy(1)).rejects.toMatchObject({ faults: [{ part: 'card', code: 'unknown' }] });
    expect(shop.gateway.calls).toEqual([]);
  });
});
