import type { Doing, Json, Kind } from '../doing.js';
import type { Order, Partner } from '../known.js';

const CARDS = ['4242424242424242', '5555555555554444', '4000000000000002'];

/** A card as partners send it, without its number. */
export const CARD = { verification_value: '123', month: '12', year: '2045', zip_code: '02114' };

/** A card as partners send it. The third number is declined. */
export function cardOf(doing: Doing): object {
  return { number: doing.random.one(CARDS), ...CARD };
}

export const ADDRESS = { address_one: '1 Main St', postal_code: '02114', city: 'Boston', state: 'MA', country: 'US' };

/** What most transactions of resellers have. */
export const USUAL = { amount: 900, last_name: 'Lee' };

/** The same in every transaction of a reseller. */
const TRANSACTION = {
  transaction_date: '2029-12-31T12:00:00Z',
  first_name: 'Zoe',
  address_type: 'home',
  address1: '1 Main St',
  address2: 'Floor 2',
  postal_code: '02114',
  city: 'Boston',
  state: 'MA',
  country: 'US',
  telephone: '6175550100',
};

/** Puts a purchase and its coupons where other operations find them. */
export function keep(doing: Doing, partner: Partner, purchase: Json | undefined, user?: string): void {
  if (purchase === undefined) return;
  const { known } = doing;
  const { id } = purchase as unknown as { readonly id: string };
  const owned = { id, partner, deal: dealOf(purchase), ...(user !== undefined && { user }) };
  known.purchases.put(doing.named(), owned);
  const coupons = (purchase['coupons'] ?? []) as readonly { readonly id: string }[];
  coupons.forEach((coupon, index) => known.coupons.put(doing.named(index), { ...owned, id: coupon.id }));
}

function dealOf(purchase: Json): string {
  const { deal } = purchase as unknown as { readonly deal: { readonly id: string } };
  return deal.id;
}

/** Few units, so that a scarce deal has many buyers. */
const few = (doing: Doing): number => doing.random.one([1, 1, 1, 2, 2, 3]);

/** Sends a reseller's transaction. */
export async function resell(doing: Doing, order: Order): Promise<void> {
  const { known } = doing;
  const { partner, deal, quantity, reference, amount, last_name } = order;
  const sent = { deal_id: deal, quantity, transaction_amount: amount, last_name, ...TRANSACTION };
  const body = { ...sent, transaction_reference: reference };
  const of = { deal, quantity, amount, content: JSON.stringify(sent) };
  const meaning = { type: 'resell', ...of, reference: `${partner.id}/${reference}` } as const;
  const sold = await doing.v3(partner, 'POST', '/resellers/purchases', body, meaning);
  if (sold === undefined) return;
  const { id, coupons } = sold as unknown as {
    readonly id: string;
    readonly coupons: readonly { readonly id: string }[];
  };
  known.purchases.put(doing.named(), { id, partner, deal });
  coupons.forEach((coupon, index) => {
    known.resold.put(doing.named(index), { id: coupon.id, partner, deal });
  });
}

/** The four ways of buying. */
export const buying: Readonly<Record<string, Kind>> = {
  reserve: {
    weight: 22,
    async do(doing) {
      const partner = doing.partner();
      const deal = doing.known.deals.choose(doing.random, ({ kind }) => kind !== 'card-linked');
      const quantity = few(doing);
      if (deal === undefined) return;
      const body = { deal_id: deal.slug, num_bought: quantity };
      const meaning = { type: 'reserve', deal: deal.slug, quantity } as const;
      const made = await doing.call(partner, 'POST', '/purchases/reserve', body, meaning);
      if (made === undefined) return;
      const { purchase } = made as unknown as { readonly purchase: { readonly id: string } };
      doing.known.reservations.put(doing.named(), { id: purchase.id, partner, deal: deal.slug });
    },
  },
  claim: {
    weight: 16,
    async do(doing) {
      const { known, random } = doing;
      const held = known.reservations.choose(random, () => true, 12);
      const user = known.users.choose(random, ({ partner }) => partner === held?.partner);
      if (held === undefined || user === undefined) return;
      const meaning = { type: 'claim', purchase: held.id, user: user.id } as const;
      const made = await doing.call(held.partner, 'PUT', `/purchases/${held.id}/claim`, { user_id: user.id }, meaning);
      keep(doing, held.partner, made?.['purchase'], user.id);
    },
  },
  release: {
    weight: 4,
    async do(doing) {
      const held = doing.known.reservations.choose(doing.random, () => true, 12);
      if (held === undefined) return;
      const meaning = { type: 'release', purchase: held.id } as const;
      await doing.call(held.partner, 'PUT', `/purchases/${held.id}/release`, undefined, meaning);
    },
  },
  'stored purchase': {
    weight: 12,
    async do(doing) {
      const { known, random } = doing;
      const deal = known.deals.choose(random, ({ kind }) => kind !== 'card-linked');
      const card = known.cards.choose(random);
      const quantity = few(doing);
      const expected_price_per_unit = random.one([1000, 1000, 1000, 900]);
      if (deal === undefined || card?.user === undefined) return;
      const order = {
        deal_id: deal.slug,
        quantity,
        user_id: card.user,
        credit_card_id: card.id,
        expected_price_per_unit,
      };
      const meaning = { type: 'buy', deal: deal.slug, quantity, user: card.user } as const;
      const made = await doing.call(card.partner, 'POST', '/purchases', order, meaning);
      keep(doing, card.partner, made?.['purchase'], card.user);
    },
  },
  'full purchase': {
    weight: 12,
    async do(doing) {
      const { known, random } = doing;
      const partner = doing.partner();
      const deal = known.deals.choose(random, ({ kind }) => kind !== 'card-linked');
      const old = known.users.choose(random, (user) => user.partner === partner);
      const isNew = random.chance(0.3);
      const credit_card = cardOf(doing);
      const quantity = few(doing);
      if (deal === undefined) return;
      const email = `buyer-${doing.named()}@example.com`;
      const secret = { password: 'a secret', password_confirmation: 'a secret' };
      const buyer =
        isNew || old === undefined
          ? { user: { email, ...secret, first_name: 'Ann', last_name: 'Lee' } }
          : { user_id: old.id };
      const body = {
        deal_id: deal.slug,
        quantity,
        ...buyer,
        credit_card,
        shipping_address: { name: 'Ann Lee', ...ADDRESS },
      };
      const meaning = { type: 'buy', deal: deal.slug, quantity, user: 'user' in buyer ? undefined : old?.id } as const;
      const made = await doing.call(partner, 'POST', '/purchases/full', body, meaning);
      keep(doing, partner, made?.['purchase'], made?.['purchase']?.['user_id']);
    },
  },
  resale: {
    weight: 8,
    async do(doing) {
      const { known, random } = doing;
      const partner = doing.partner();
      const deal = known.deals.choose(random);
      const reference = `order-${random.whole(0, 40)}-${doing.operation.index >> 5}`;
      const quantity = deal?.kind === 'card-linked' ? 1 : few(doing);
      if (deal === undefined) return;
      const order = { partner, deal: deal.slug, quantity, reference, ...USUAL };
      known.orders.put(doing.named(), order);
      await resell(doing, order);
    },
  },
  'the same resale again': {
    weight: 3,
    async do(doing) {
      const { known, random } = doing;
      const order = known.orders.choose(random, () => true, 20);
      const isOther = random.chance(0.4);
      const other = random.one(['quantity', 'amount', 'last_name', 'deal'] as const);
      const deal = known.deals.choose(random, ({ kind }) => kind !== 'card-linked');
      if (order === undefined) return;
      const { quantity, amount } = order;
      const others = { quantity: quantity + 1, amount: amount + 1, last_name: 'Ray', deal: deal?.slug ?? order.deal };
      await resell(doing, isOther ? { ...order, [other]: others[other] } : order);
    },
  },
};
