import type { Doing, Kind } from '../doing.js';
import { REFUSED_CARD } from '../../world/gateway.js';
import { REASON } from './coupons.js';
import { ADDRESS, CARD, resell, USUAL } from './buying.js';

/** Milliseconds until the next of several calls: none, or so many that the first may still wait for something lost. */
const PAUSES = [0, 0, 30, 300, 1_500];

/** Calls of one thing that arrive at nearly the same moment, at any API: a double click, or a proxy that sends again. */
async function together(doing: Doing, ...calls: readonly (() => Promise<unknown>)[]): Promise<void> {
  const { random, world } = doing;
  const pauses = calls.map((_, index) => (index === 0 ? 0 : random.one(PAUSES)));
  await Promise.all(
    calls.map(async (call, index) => {
      await world.scheduler.sleep(pauses[index] ?? 0);
      await call();
    }),
  );
}

/** Two coupons that a reseller sold, or that somebody bought. */
function someCoupon({ known, random }: Doing): { readonly id: string } | undefined {
  return random.chance(0.4) ? known.resold.choose(random) : known.coupons.choose(random);
}

/** What happens twice at once. */
export const races: Readonly<Record<string, Kind>> = {
  'claim three times': {
    weight: 8,
    async do(doing) {
      const { known, random } = doing;
      const held = known.reservations.choose(random, () => true, 4);
      const user = known.users.choose(random, ({ partner }) => partner === held?.partner);
      if (held === undefined || user === undefined) return;
      const meaning = { type: 'claim', purchase: held.id, user: user.id } as const;
      const claim = (): Promise<unknown> =>
        doing.call(held.partner, 'PUT', `/purchases/${held.id}/claim`, { user_id: user.id }, meaning);
      await together(doing, claim, claim, claim);
    },
  },
  'claim and release': {
    weight: 1,
    async do(doing) {
      const { known, random } = doing;
      const held = known.reservations.choose(random, () => true, 4);
      const user = known.users.choose(random, ({ partner }) => partner === held?.partner);
      if (held === undefined || user === undefined) return;
      const path = `/purchases/${held.id}`;
      await together(
        doing,
        () =>
          doing.call(
            held.partner,
            'PUT',
            `${path}/claim`,
            { user_id: user.id },
            {
              type: 'claim',
              purchase: held.id,
              user: user.id,
            },
          ),
        () => doing.call(held.partner, 'PUT', `${path}/release`, undefined, { type: 'release', purchase: held.id }),
      );
    },
  },
  'reissue twice': {
    weight: 1,
    async do(doing) {
      const coupon = someCoupon(doing);
      if (coupon === undefined) return;
      const meaning = { type: 'reissue', coupon: coupon.id } as const;
      const reissue = (): Promise<unknown> => doing.operate('POST', `/coupons/${coupon.id}/reissue`, REASON, meaning);
      await together(doing, reissue, reissue);
    },
  },
  'cancel twice': {
    weight: 1,
    async do(doing) {
      const coupon = someCoupon(doing);
      if (coupon === undefined) return;
      const meaning = { type: 'cancel-coupon', coupon: coupon.id } as const;
      const cancel = (): Promise<unknown> => doing.operate('POST', `/coupons/${coupon.id}/cancel`, REASON, meaning);
      await together(doing, cancel, cancel);
    },
  },
  'two contents under one reference': {
    weight: 2,
    async do(doing) {
      const { known, random } = doing;
      const partner = doing.partner();
      const deals = [0, 1].map(() => known.deals.choose(random, ({ kind }) => kind !== 'card-linked'));
      const reference = `race-${doing.named()}`;
      const [one, other] = deals;
      if (one === undefined || other === undefined) return;
      const order = (deal: string, quantity: number) => (): Promise<unknown> =>
        resell(doing, { partner, deal, quantity, reference, ...USUAL });
      const calls = [order(one.slug, 1), order(other.slug, 2)];
      await together(doing, ...calls, ...calls);
    },
  },
  'link the last places': {
    weight: 2,
    async do(doing) {
      const { known, random } = doing;
      const [one, other] = [0, 1].map(() => known.deals.choose(random, ({ kind }) => kind === 'card-linked', 4)?.slug);
      const users = [0, 1, 2].map(() => known.users.choose(random));
      if (one === undefined || other === undefined || one === other) return;
      // Each takes a place that the other needs: so one of the calls takes back what it has.
      const calls = users.flatMap((user, index) => {
        if (user === undefined) return [];
        const deals = index % 2 === 0 ? [one, other] : [other, one];
        const meaning = { type: 'link', deals, user: user.id } as const;
        const body = { user_id: user.id, deal_ids: deals };
        return [(): Promise<unknown> => doing.call(user.partner, 'POST', '/card_links', body, meaning)];
      });
      await together(doing, ...calls);
    },
  },
  'void what the gateway refuses': {
    weight: 2,
    async do(doing) {
      const { known, random, world } = doing;
      const deal = known.deals.choose(random, ({ kind }) => kind !== 'card-linked');
      const user = known.users.choose(random);
      const pause = random.one([2, 5, 20, 60]);
      if (deal === undefined || user === undefined) return;
      const meaning = { type: 'buy', deal: deal.slug, quantity: 1, user: user.id } as const;
      const credit_card = { ...CARD, number: REFUSED_CARD };
      const address = { name: 'Ann Lee', ...ADDRESS };
      const order = { deal_id: deal.slug, quantity: 1, user_id: user.id, credit_card, shipping_address: address };
      const buying = doing.call(user.partner, 'POST', '/purchases/full', order, meaning);
      await world.scheduler.sleep(pause);
      // While the first is charged, a second is refused, and the refusal names the first.
      const refused = await doing.once(user.partner, 'POST', '/purchases/full', order, meaning);
      const { purchase_id: id } = (refused?.status === 409 ? JSON.parse(refused.text) : {}) as { purchase_id?: string };
      if (id !== undefined)
        await doing.operate('POST', `/purchases/${id}/void`, REASON, { type: 'void', purchase: id });
      await buying;
    },
  },
  'void and charge': {
    weight: 1,
    async do(doing) {
      const { known, random } = doing;
      const purchase = known.purchases.choose(random, () => true, 2);
      if (purchase === undefined) return;
      const meaning = { type: 'void', purchase: purchase.id } as const;
      const ask = (): Promise<unknown> => doing.operate('POST', `/purchases/${purchase.id}/void`, REASON, meaning);
      await together(doing, ask, ask);
    },
  },
};
