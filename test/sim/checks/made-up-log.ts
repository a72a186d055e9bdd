import type { Recorded } from '#kernel';

/** An event of a made-up log: its stream, type, data, and what else is not as usual. */
export type MadeUp = readonly [
  stream: string,
  type: string,
  data?: object,
  unusual?: { readonly time?: number; readonly id?: string; readonly revision?: number; readonly causation?: string },
];

const STARTS = ['hold-placed.v1', 'checkout-started.v1', 'resale-started.v1'];

/** The numbers of made-up starts and units: each has the next one, unless it says otherwise. */
class Numbers {
  readonly #numbers = new Map<string, number>();
  readonly #others = new Map<string, number>();
  readonly #units = new Map<string, number>();

  filledIn(type: string, data: object): object {
    const { reservation_id, resale_id, purchase_id, coupon_id } = data as Readonly<Record<string, string | undefined>>;
    const id = resale_id ?? reservation_id ?? purchase_id ?? '';
    if (type === 'unit-returned.v1') return { unit: this.#units.get(coupon_id ?? '') ?? 0, ...data };
    if (STARTS.includes(type)) this.#numbers.set(id, this.#numbers.size);
    const made = (data as { readonly coupons?: readonly { readonly id: string }[] }).coupons;
    return {
      number: this.#numbers.get(id) ?? this.#unknown(id),
      ...data,
      ...(made && { coupons: made.map((each) => ({ unit: this.#unitOf(each.id), ...each })) }),
    };
  }

  /** A claim of a reservation that nobody placed has a number of its own, far from all others. */
  #unknown(id: string): number {
    if (!this.#others.has(id)) this.#others.set(id, 1_000 + this.#others.size);
    return this.#others.get(id) ?? 0;
  }

  #unitOf(coupon: string): number {
    const unit = this.#units.size;
    this.#units.set(coupon, unit);
    return unit;
  }
}

/** A log of these events, each at its place, all at the instant 1000 unless they say otherwise. */
export function madeUpLog(...events: readonly MadeUp[]): readonly Recorded[] {
  const revisions = new Map<string, number>();
  const numbers = new Numbers();
  return events.map(([stream, type, made = {}, unusual = {}], index) => {
    const data =
      stream.startsWith('inventory-') || type === 'reservation-placed.v1' ? numbers.filledIn(type, made) : made;
    const revision = unusual.revision ?? (revisions.get(stream) ?? -1) + 1;
    revisions.set(stream, revision);
    const { time = 1_000, causation = null } = unusual;
    const metadata = { time, command_id: 'c', correlation: 'r', causation, actor: 'partner:test' };
    return { id: unusual.id ?? `event-${index}`, stream, revision, position: BigInt(index + 1), type, data, metadata };
  });
}

const TERMS = { on_sale: true, start_at: 0, end_at: 1_000_000_000, price: 10, max_per_user: null };

/** The inventory of the deal `spa`, on sale with so many units. */
export function onSale(stock: number, terms: object = {}): readonly MadeUp[] {
  return [
    ['inventory-spa', 'terms-set.v1', { terms: { ...TERMS, ...terms } }],
    ['inventory-spa', 'stock-set.v1', { stock, held: 0, sold: 0 }],
  ];
}

/** A hold of one unit, with the counters after it. */
export function held(
  id: string,
  after: { readonly stock: number; readonly held: number; readonly sold: number },
  more: object = {},
): MadeUp {
  const data = {
    reservation_id: id,
    quantity: 1,
    price: 10,
    deadline: 301_000,
    max_per_user: null,
    deal: { id: 'spa' },
    ...after,
    ...more,
  };
  return ['inventory-spa', 'hold-placed.v1', data];
}

/** A sale of one unit to a user. */
export function sold(
  type: string,
  id: string,
  after: { readonly stock: number; readonly held: number; readonly sold: number },
  more: object = {},
): MadeUp {
  const coupons = [{ id: `${id}-1`, barcode: `${id}-barcode`, code: null }];
  return [
    'inventory-spa',
    type,
    { purchase_id: id, user_id: 'ann', quantity: 1, price: 10, coupons, deal: { id: 'spa' }, ...after, ...more },
  ];
}
