import { idOf, type Recorded } from '#kernel';
import { placeOf, Violation } from './violation.js';

interface CodeAt {
  readonly revision: number;
  readonly index: number;
}

/** The fields of the events with codes and coupons, all of them together. */
interface Data {
  readonly codes?: readonly string[];
  readonly coupons?: readonly { readonly id: string; readonly code: CodeAt | null }[];
  readonly deal: { readonly id: string };
  readonly deal_id: string;
  readonly redemption_code: string | null;
  readonly replacement: { readonly coupon_id: string };
}

/** The codes on coupons: each coupon has the code that its sale took by its place, and no two coupons have the same one. */
export class Codes {
  /** The texts of an event with codes, by `deal@revision`. */
  readonly #texts = new Map<string, readonly string[]>();
  /**
   * The code of each coupon, by its sale. Of several resales under one reference only the purchase says which one it sold, and each
   * may be of another deal.
   */
  readonly #due = new Map<string, string | null>();
  /** The coupon with a code, by `deal>code`. */
  readonly #holders = new Map<string, string>();

  /** @throws Violation */
  check(event: Recorded): void {
    const { stream, type, revision } = event;
    const id = idOf(stream);
    const { codes, coupons = [], replacement, deal, deal_id, redemption_code } = event.data as Data;
    if (stream.startsWith('inventory-')) {
      if (codes !== undefined) this.#texts.set(`${id}@${revision}`, codes);
      if (type !== 'resale-started.v1') this.#note(event, id, coupons);
    } else if (type === 'purchase-resold.v1') {
      this.#note(event, deal.id, coupons);
    } else if (type === 'coupon-reissued.v1') {
      const due = this.#due.get(id) ?? null;
      this.#due.set(replacement.coupon_id, due);
      for (const [code, holder] of this.#holders) if (holder === id) this.#holders.set(code, replacement.coupon_id);
    } else if (type === 'coupon-issued.v1') {
      const due = this.#due.get(id) ?? null;
      if (redemption_code !== due)
        throw new Violation('a coupon has the code of its sale', placeOf(event), `${redemption_code}; expected ${due}`);
      if (due === null) return;
      const key = `${deal_id}>${due}`;
      const holder = this.#holders.get(key) ?? id;
      if (holder !== id)
        throw new Violation('a code stands on one coupon', placeOf(event), `${due}, which ${holder} has`);
      this.#holders.set(key, id);
    }
  }

  #note(event: Recorded, dealId: string, coupons: NonNullable<Data['coupons']>): void {
    for (const { id, code } of coupons) this.#due.set(id, code && this.#text(event, dealId, code));
  }

  #text(event: Recorded, dealId: string, { revision, index }: CodeAt): string {
    const text = this.#texts.get(`${dealId}@${revision}`)?.[index];
    if (text === undefined)
      throw new Violation('a sale names codes that the pool has', placeOf(event), `${revision}, ${index}`);
    return text;
  }
}
