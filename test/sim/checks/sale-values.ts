import { idOf, type Recorded } from '#kernel';
import { placeOf, Violation } from './violation.js';

const DAY = 86_400_000;

/** When coupons expire, as the terms of their sale say. */
interface Expiry {
  readonly expires_at: number | null;
  /** Days from the sale; null if `expires_at` decides. */
  readonly expiration_days: number | null;
}

interface Data extends Expiry {
  readonly terms: Expiry;
  readonly reservation_id: string;
  readonly purchase_id: string;
  readonly resale_id: string | null;
  readonly coupon_id: string;
  readonly quantity: number;
  readonly price: number;
  readonly amount: number | null;
  readonly created_at: number;
  readonly coupons_expire_at: number | null;
  readonly refund: number;
  /** Cents; of a voided purchase, whether any were given back. */
  readonly refunded: number | boolean;
  readonly redeemed_at: number;
  readonly replacement: { readonly coupon_id: string };
}

/** What was agreed when units were held or taken. */
interface Agreed extends Expiry {
  readonly price: number;
  readonly quantity: number;
  readonly at: number;
}

interface Sale extends Agreed {
  /** When its coupons expire; undefined until its charge went through. */
  coupons_expire_at?: number | null;
  /** Cents that our gateway took, and gives back. */
  charged: number;
  refunded: number;
}

/**
 * Every sale has the price, quantity and time of its reservation or checkout; its coupons expire when the terms of the sale said;
 * a cancelled coupon gives back what was paid for it, to the cent. All of it is computed here, from the terms of each deal.
 * @throws Violation
 */
export function checkSaleValues(events: readonly Recorded[]): void {
  const values = new SaleValues();
  for (const event of events) values.check(event);
}

class SaleValues {
  /** By deal. */
  readonly #terms = new Map<string, Expiry>();
  /** By the id of the reservation, checkout or resale. */
  readonly #agreed = new Map<string, Agreed>();
  /** By the id of the purchase. */
  readonly #sales = new Map<string, Sale>();
  /** When a coupon expires that replaced another one, by its id. */
  readonly #replaced = new Map<string, number | null>();
  readonly #coupons = new Map<string, number | null>();

  check(event: Recorded): void {
    const data = event.data as Data;
    const { time } = event.metadata;
    switch (event.type) {
      case 'terms-set.v1':
        this.#terms.set(idOf(event.stream), data.terms);
        return;
      case 'hold-placed.v1':
        this.#agreed.set(data.reservation_id, agreed(event, this.#termsOf(event)));
        return;
      case 'checkout-started.v1':
        this.#agreed.set(data.purchase_id, agreed(event, data));
        return this.#equal(event, expiryOf(data), expiryOf(this.#termsOf(event)));
      case 'resale-started.v1':
        this.#agreed.set(data.resale_id ?? '', agreed(event, data));
        return this.#equal(event, expiryOf(data), expiryOf(this.#termsOf(event)));
      case 'hold-claimed.v1':
      case 'units-sold.v1': {
        const held = this.#from(event, data.purchase_id);
        // Terms of the claim, price and time of the reservation.
        const coupons_expire_at = expiresFrom(this.#termsOf(event), time);
        this.#equal(event, data.created_at, held.at);
        this.#equal(event, data.coupons_expire_at, coupons_expire_at);
        this.#sales.set(data.purchase_id, { ...held, coupons_expire_at, charged: 0, refunded: 0 });
        return;
      }
      case 'purchase-recorded.v1':
      case 'purchase-opened.v1': {
        const of = this.#from(event, data.purchase_id);
        this.#equal(event, data.created_at, of.at);
        this.#equal(event, data.amount, amountOf(of));
        if (event.type === 'purchase-recorded.v1') return;
        this.#equal(event, expiryOf(data), expiryOf(of));
        this.#sales.set(data.purchase_id, { ...of, charged: 0, refunded: 0 });
        return;
      }
      case 'purchase-charged.v1': {
        const sale = this.#saleOf(event);
        this.#equal(event, data.amount, amountOf(sale));
        sale.charged = amountOf(sale);
        sale.coupons_expire_at = expiresFrom(sale, time);
        this.#equal(event, data.coupons_expire_at, sale.coupons_expire_at);
        return;
      }
      case 'purchase-resold.v1': {
        const of =
          data.resale_id === null
            ? { ...agreed(event, data), expires_at: data.coupons_expire_at, expiration_days: null }
            : this.#from(event, data.resale_id);
        const coupons_expire_at = expiresFrom(of, time);
        this.#equal(event, data.coupons_expire_at, coupons_expire_at);
        this.#sales.set(data.purchase_id, { ...of, coupons_expire_at, charged: 0, refunded: 0 });
        return;
      }
      case 'purchase-declined.v1':
        return this.#equal(event, data.amount, amountOf(this.#saleOf(event)));
      case 'purchase-voided.v1':
        return this.#equal(event, data.amount, data.refunded ? amountOf(this.#saleOf(event)) : 0);
      case 'purchase-coupon-cancelled.v1':
        return this.#refunds(event);
      case 'purchase-money-returned.v1':
      case 'purchase-money-refused.v1':
        return this.#equal(event, data.amount, this.#saleOf(event).price);
      case 'coupon-issued.v1': {
        const replaced = this.#replaced.get(data.coupon_id);
        this.#equal(event, data.expires_at, replaced === undefined ? this.#saleOf(event).coupons_expire_at : replaced);
        this.#coupons.set(data.coupon_id, data.expires_at);
        return;
      }
      case 'coupon-reissued.v1':
        // Nobody asks for another expiry in these worlds.
        this.#replaced.set(data.replacement.coupon_id, this.#coupons.get(data.coupon_id) ?? null);
        return;
      case 'coupon-redeemed.v1':
        return this.#equal(event, data.redeemed_at, time);
    }
  }

  #refunds(event: Recorded): void {
    const { refund, refunded } = event.data as Data;
    const sale = this.#saleOf(event);
    sale.refunded += sale.charged === 0 ? 0 : sale.price;
    if (refund !== (sale.charged === 0 ? 0 : sale.price) || refunded !== sale.refunded || sale.refunded > sale.charged)
      throw new Violation(
        'a cancelled coupon gives back what was paid for it',
        placeOf(event),
        `${refund}, in all ${String(refunded)} of ${sale.charged}; one costs ${sale.price}`,
      );
  }

  /** What was agreed under an id, which the event repeats. */
  #from(event: Recorded, id: string): Agreed {
    const found = this.#agreed.get(id);
    const { price, quantity } = event.data as Data;
    this.#equal(event, { price, quantity }, { price: found?.price, quantity: found?.quantity });
    return found as Agreed;
  }

  #saleOf(event: Recorded): Sale {
    const sale = this.#sales.get((event.data as Data).purchase_id);
    if (sale === undefined) throw new Violation('a sale is as it was agreed', placeOf(event), 'there is no sale');
    return sale;
  }

  #termsOf({ stream }: Recorded): Expiry {
    return this.#terms.get(idOf(stream)) ?? { expires_at: null, expiration_days: null };
  }

  #equal(event: Recorded, found: unknown, expected: unknown): void {
    const [a, b] = [JSON.stringify(found), JSON.stringify(expected)];
    if (a !== b) throw new Violation('a sale is as it was agreed', placeOf(event), `${a}; expected ${b}`);
  }
}

function agreed({ data, metadata }: Recorded, { expires_at, expiration_days }: Expiry): Agreed {
  const { price, quantity } = data as Data;
  return { price, quantity, at: metadata.time, expires_at, expiration_days };
}

/** Cents for all units. */
const amountOf = ({ price, quantity }: Agreed): number => price * quantity;

const expiryOf = ({ expires_at, expiration_days }: Expiry): Expiry => ({ expires_at, expiration_days });

function expiresFrom({ expires_at, expiration_days }: Expiry, sold: number): number | null {
  return expiration_days === null ? expires_at : sold + expiration_days * DAY;
}
