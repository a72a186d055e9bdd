import type { CodeCheck } from './code-check.js';
import type { ExportedEvent } from './exported-event.js';
import { placeOf, type Faults } from './faults.js';
import { checkDecides, checkFollows } from './follows.js';
import type { Group } from './group.js';
import type { ReturnsDue } from './returns-due.js';
import type { Tally } from './tally.js';
import type { Totals } from './totals.js';
import { instant, integer, object, objects, same, sameFields, text, type Data } from './values.js';

/** A sale with coupons. */
export interface CouponsOf {
  /** The event that the coupons follow: a sale of the inventory, a charge or a resale. */
  readonly decision: ExportedEvent;
  /** The data of the sale: `purchase_id`, `partner_id`, `user_id`, `deal`, `coupons` and `coupons_expire_at`. */
  readonly sale: Data;
}

/** What the purchase must know of its coupons. */
export interface Corrections {
  /** By coupon. */
  readonly cancelled: ReadonlyMap<string, ExportedEvent>;
  readonly replaced: ReadonlyMap<string, ExportedEvent>;
}

/** What a new coupon takes over from the one that it replaces. */
const KEPT = [
  'purchase_id',
  'partner_id',
  'user_id',
  'deal_id',
  'deal_type',
  'number',
  'unit',
  'redemption_code',
] as const;

/** Checks that a sale has exactly its coupons, and that each is used, cancelled and replaced at most once (rulings D10, D12, D14). */
export class CouponCheck {
  constructor(
    private readonly parts: {
      readonly faults: Faults;
      readonly totals: Totals;
      readonly codes: CodeCheck;
      readonly returns: ReturnsDue;
      /** All barcodes of the deal. */
      readonly barcodes: Tally;
    },
  ) {}

  check({ decision, sale }: CouponsOf, group: Group): Corrections {
    const { faults, codes } = this.parts;
    const cancelled = new Map<string, ExportedEvent>();
    const replaced = new Map<string, ExportedEvent>();
    const deal = object(sale['deal']);
    const seen = new Set<string>();
    for (const [number, sold] of objects(sale['coupons']).entries()) {
      const id = text(sold['id']);
      const issued: Data = {
        coupon_id: id,
        ...{ purchase_id: sale['purchase_id'], partner_id: sale['partner_id'], user_id: sale['user_id'] ?? null },
        ...{ deal_id: deal['id'], deal_type: deal['type'], deal_revision: deal['revision'] },
        ...{ number, barcode: sold['barcode'], unit: sold['unit'] },
        ...{ created_at: decision.time, expires_at: sale['coupons_expire_at'] },
      };
      const isOfSale = (data: Data): boolean =>
        sameFields(data, issued, Object.keys(issued)) && codes.isTextOf(sold['code'], data['redemption_code']);
      this.#chain(id, decision, isOfSale, { group, seen, cancelled, replaced });
    }
    for (const first of group.rest) {
      if (!first.stream.startsWith('coupon-')) continue;
      group.take(first.stream);
      faults.add(first, 'coupons', 'no unit of the sale has this coupon');
    }
    return { cancelled, replaced };
  }

  /** Follows a unit from its first coupon to its last one. */
  #chain(
    firstId: string,
    decision: ExportedEvent,
    isOfSale: (data: Data) => boolean,
    parts: {
      readonly group: Group;
      readonly seen: Set<string>;
      readonly cancelled: Map<string, ExportedEvent>;
      readonly replaced: Map<string, ExportedEvent>;
    },
  ): void {
    const { faults } = this.parts;
    const { group, seen, cancelled, replaced } = parts;
    let [id, cause, fits] = [firstId, decision, isOfSale];
    for (;;) {
      const stream = `coupon-${id}`;
      if (seen.has(id)) {
        faults.add(cause, 'coupons', `${stream} has two units`);
        return;
      }
      seen.add(id);
      const [issued, ...later] = group.take(stream);
      if (issued === undefined) {
        if (!group.isUnreadable(stream)) faults.missing(cause, `${stream} is missing`);
        return;
      }
      this.#issue(issued, cause, fits);
      const next = this.#live(id, issued, later, cancelled);
      if (next === undefined) return;
      replaced.set(id, next);
      const replacement = object(next.data['replacement']);
      [id, cause, fits] = [text(replacement['coupon_id']), next, (data) => same(data, replacement)];
    }
  }

  #issue(issued: ExportedEvent, cause: ExportedEvent, fits: (data: Data) => boolean): void {
    const { faults, totals, barcodes } = this.parts;
    if (issued.type !== 'coupon-issued.v1') faults.add(issued, 'coupons', 'a coupon does not begin so');
    checkFollows(issued, cause, faults);
    if (!fits(issued.data)) faults.add(issued, 'coupons', `it is not the coupon that ${placeOf(cause)} leads to`);
    if (barcodes.add(text(issued.data['barcode'])) > 1)
      faults.add(issued, 'coupons', 'another coupon of the deal has its barcode');
    totals.coupons.issued += 1;
  }

  /** What becomes of a coupon. @returns the event that it was issued again, if it was */
  #live(
    id: string,
    issued: ExportedEvent,
    later: readonly ExportedEvent[],
    cancelled: Map<string, ExportedEvent>,
  ): ExportedEvent | undefined {
    const { faults, totals, returns } = this.parts;
    const { data: coupon } = issued;
    let state = 'valid';
    let replaced: ExportedEvent | undefined;
    for (const event of later) {
      const { data } = event;
      checkDecides(event, faults);
      if (data['coupon_id'] !== id || data['purchase_id'] !== coupon['purchase_id'])
        faults.add(event, 'coupons', 'it names another coupon or purchase');
      switch (event.type) {
        case 'coupon-redeemed.v1':
          totals.coupons.redeemed += 1;
          if (state !== 'valid') faults.add(event, 'coupons', `the coupon is ${state}, and not valid`);
          if (data['redeemed_at'] !== event.time) faults.add(event, 'time', 'it was not redeemed at its time');
          if (coupon['expires_at'] !== null && instant(event.time) >= instant(coupon['expires_at']))
            faults.add(event, 'time', 'the coupon had expired');
          state = 'redeemed';
          break;
        case 'coupon-cancelled.v1':
          totals.coupons.cancelled += 1;
          if (state !== 'valid' && state !== 'redeemed') faults.add(event, 'coupons', `the coupon is ${state} already`);
          if (!sameFields(data, coupon, ['user_id', 'deal_id', 'unit']))
            faults.add(event, 'coupons', 'it does not name the user, deal and unit of the coupon');
          state = 'cancelled';
          cancelled.set(id, event);
          if (typeof data['unit'] === 'number') returns.note(integer(data['unit']), event);
          break;
        case 'coupon-reissued.v1':
          totals.coupons.reissued += 1;
          if (state !== 'valid' && state !== 'redeemed') faults.add(event, 'coupons', `the coupon is ${state} already`);
          if (data['redeemed_by_mistake'] !== (state === 'redeemed'))
            faults.add(event, 'coupons', 'it says wrongly whether the coupon was redeemed');
          this.#checkReplacement(event, coupon);
          state = 'reissued';
          replaced = event;
          break;
        default:
          faults.add(event, 'coupons', 'no event of a coupon has its type, or it was issued before');
      }
    }
    return replaced;
  }

  #checkReplacement(event: ExportedEvent, coupon: Data): void {
    const replacement = object(event.data['replacement']);
    if (!sameFields(replacement, coupon, KEPT) || replacement['created_at'] !== event.time)
      this.parts.faults.add(event, 'coupons', 'the new coupon is not for the same unit of the same purchase');
  }
}
