import { idOf, type Recorded } from '#kernel';
import { placeOf, Violation } from './violation.js';

const DAY = 86_400_000;

/** When coupons expire, as the terms of their sale say. */
interface Expiry {
  readonly expires_at: number | null;
  /** Days from the sale; null if `expires_at` decides. */
  readonly expiration_days: number | null;
}

/** A deal's terms, and the revision of the deal's event that set them. */
interface Terms extends Expiry {
  readonly deal: { readonly revision: number };
}

interface Data extends Terms {
  readonly terms: Terms;
  readonly reservation_id: string;
  readonly purchase_id: string;
  readonly resale_id: string | null;
  readonly coupon_id: string;
  readonly quantity: number;
  readonly price: number;
  readonly amount: number | null;
  readonly created_at: number;
  readonly coupons_expire_at: number | null;
  readonly refund_by: 'gateway' | 'partner';
  readonly refund: number;
  /** Cents; of a voided purchase, whether any were given back. */
  readonly refunded: number | boolean;
  readonly redeemed_at: number;
  readonly deal_id: string;
  readonly deal_revision: number;
  readonly replacement: Coupon & { readonly coupon_id: string; readonly deal_id: string };
}

/** What a coupon shows of its sale: the deal of which revision, and until when. */
interface Coupon {
  readonly deal_revision: number;
  readonly expires_at: number | null;
}

/** What was agreed when units were held or taken. */
interface Agreed extends Terms {
  readonly price: number;
  readonly quantity: number;
  readonly at: number;
}

interface Sale extends Agreed {
  /** When its coupons expire; undefined until its charge went through. */
  coupons_expire_at?: number | null;
  /** Cents that were paid, whom the buyer paid, and what goes back so far. */
  readonly paid: number;
  readonly by: 'gateway' | 'partner';
  readonly left: { units: number };
  refunded: number;
}

/**
 * Every sale has the price, quantity, deal and time of its reservation or checkout; its coupons expire when the terms of the sale
 * said, and show the deal as sold; a cancelled coupon gives back what was paid for it, to the cent, by whom the buyer paid. All of
 * it is computed here, from the terms of each deal.
 * @throws Violation
 */
export function checkSaleValues(events: readonly Recorded[]): void {
  const values = new SaleValues();
  for (const event of events) values.check(event);
}

class SaleValues {
  /** By deal. */
  readonly #terms = new Map<string, Terms>();
  /** All terms of a deal, by `deal@revision`. */
  readonly #everyTerms = new Map<string, Terms>();
  /** By the id of the reservation, checkout or resale. */
  readonly #agreed = new Map<string, Agreed>();
  /** By the id of the purchase. */
  readonly #sales = new Map<string, Sale>();
  /** A coupon that replaced another one, by its id. */
  readonly #replaced = new Map<string, Coupon>();
  readonly #coupons = new Map<string, Coupon>();

  check(event: Recorded): void {
    const data = event.data as Data;
    const { time } = event.metadata;
    switch (event.type) {
      case 'terms-set.v1':
        this.#terms.set(idOf(event.stream), data.terms);
        this.#everyTerms.set(`${idOf(event.stream)}@${data.terms.deal.revision}`, data.terms);
        return;
      case 'hold-placed.v1':
        this.#agreed.set(data.reservation_id, agreed(event, this.#termsOf(event)));
        return this.#equal(event, data.deal.revision, this.#termsOf(event).deal.revision);
      case 'checkout-started.v1':
        this.#agreed.set(data.purchase_id, agreed(event, data));
        return this.#equal(event, termsIn(data), termsIn(this.#termsOf(event)));
      case 'resale-started.v1':
        this.#agreed.set(data.resale_id ?? '', agreed(event, data));
        return this.#equal(event, termsIn(data), termsIn(this.#termsOf(event)));
      case 'hold-claimed.v1':
      case 'units-sold.v1': {
        const held = this.#from(event, data.purchase_id);
        // Expiry of the claim; price, deal and time of the reservation.
        const coupons_expire_at = expiresFrom(this.#termsOf(event), time);
        this.#equal(event, data.created_at, held.at);
        this.#equal(event, data.coupons_expire_at, coupons_expire_at);
        this.#sales.set(data.purchase_id, saleOf(held, 'partner', coupons_expire_at));
        return;
      }
      case 'purchase-recorded.v1':
      case 'purchase-opened.v1': {
        const of = this.#from(event, data.purchase_id);
        this.#equal(event, data.created_at, of.at);
        this.#equal(event, data.amount, amountOf(of));
        if (event.type === 'purchase-recorded.v1') return;
        this.#equal(event, termsIn(data), termsIn(of));
        this.#sales.set(data.purchase_id, saleOf(of, 'gateway'));
        return;
      }
      case 'purchase-charged.v1': {
        const sale = this.#saleOf(event);
        this.#equal(event, data.amount, amountOf(sale));
        this.#equal(event, data.deal.revision, sale.deal.revision);
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
        this.#sales.set(data.purchase_id, saleOf(of, 'partner', coupons_expire_at, data.amount ?? 0));
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
        const { expires_at, deal_revision } = this.#replaced.get(data.coupon_id) ?? this.#asSold(event);
        this.#equal(event, [data.expires_at, data.deal_revision], [expires_at, deal_revision]);
        this.#coupons.set(data.coupon_id, { expires_at, deal_revision });
        return;
      }
      case 'coupon-reissued.v1':
        this.#replaced.set(data.replacement.coupon_id, this.#reissued(event));
        return;
      case 'coupon-redeemed.v1':
        return this.#equal(event, data.redeemed_at, time);
    }
  }

  /** What the coupons of a sale show. */
  #asSold(event: Recorded): Coupon {
    const { coupons_expire_at = null, deal } = this.#saleOf(event);
    return { expires_at: coupons_expire_at, deal_revision: deal.revision };
  }

  /**
   * What a coupon shows that replaces another one: the same, or the deal under terms that it had, with the expiry that they give.
   * Nobody asks for another expiry in these worlds.
   */
  #reissued(event: Recorded): Coupon {
    const { coupon_id, replacement } = event.data as Data;
    const { deal_id, deal_revision, expires_at } = replacement;
    const terms = this.#everyTerms.get(`${deal_id}@${deal_revision}`);
    const allowed = [
      this.#coupons.get(coupon_id),
      terms && { expires_at: expiresFrom(terms, event.metadata.time), deal_revision },
    ];
    const is = allowed.find((each) => each?.expires_at === expires_at && each.deal_revision === deal_revision);
    if (is !== undefined) return is;
    const found = JSON.stringify({ expires_at, deal_revision });
    throw new Violation('a sale is as it was agreed', placeOf(event), `${found}; expected ${JSON.stringify(allowed)}`);
  }

  /** The last coupon gives back what the others, rounded down, have left. */
  #refunds(event: Recorded): void {
    const { refund_by, refund, refunded } = event.data as Data;
    const sale = this.#saleOf(event);
    sale.left.units -= 1;
    const share = sale.left.units === 0 ? sale.paid - sale.refunded : Math.floor(sale.paid / sale.quantity);
    sale.refunded += share;
    const isRight = refund === share && refunded === sale.refunded && refund_by === sale.by;
    if (!isRight || sale.left.units < 0)
      throw new Violation(
        'a cancelled coupon gives back what was paid for it',
        placeOf(event),
        `${refund} by ${refund_by}, in all ${String(refunded)} of ${sale.paid}; expected ${share} by ${sale.by}`,
      );
  }

  /** What was agreed under an id, which the event repeats. */
  #from(event: Recorded, id: string): Agreed {
    const found = this.#agreed.get(id);
    const { price, quantity, deal } = event.data as Data;
    const expected = { price: found?.price, quantity: found?.quantity, revision: found?.deal.revision };
    this.#equal(event, { price, quantity, revision: deal.revision }, expected);
    return found as Agreed;
  }

  #saleOf(event: Recorded): Sale {
    const sale = this.#sales.get((event.data as Data).purchase_id);
    if (sale === undefined) throw new Violation('a sale is as it was agreed', placeOf(event), 'there is no sale');
    return sale;
  }

  #termsOf({ stream }: Recorded): Terms {
    return this.#terms.get(idOf(stream)) ?? { expires_at: null, expiration_days: null, deal: { revision: -1 } };
  }

  #equal(event: Recorded, found: unknown, expected: unknown): void {
    const [a, b] = [JSON.stringify(found), JSON.stringify(expected)];
    if (a !== b) throw new Violation('a sale is as it was agreed', placeOf(event), `${a}; expected ${b}`);
  }
}

function agreed({ data, metadata }: Recorded, { expires_at, expiration_days, deal }: Terms): Agreed {
  const { price, quantity } = data as Data;
  return { price, quantity, at: metadata.time, expires_at, expiration_days, deal };
}

function saleOf(of: Agreed, by: Sale['by'], coupons_expire_at?: number | null, paid = amountOf(of)): Sale {
  const sale = { ...of, by, paid, left: { units: of.quantity }, refunded: 0 };
  return coupons_expire_at === undefined ? sale : { ...sale, coupons_expire_at };
}

/** Cents for all units. */
const amountOf = ({ price, quantity }: Agreed): number => price * quantity;

const termsIn = ({ expires_at, expiration_days, deal: { revision } }: Terms): object => ({
  expires_at,
  expiration_days,
  revision,
});

function expiresFrom({ expires_at, expiration_days }: Expiry, sold: number): number | null {
  return expiration_days === null ? expires_at : sold + expiration_days * DAY;
}
