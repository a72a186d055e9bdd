import { CouponCheck } from './coupon-check.js';
import type { ExportedEvent } from './exported-event.js';
import type { Faults } from './faults.js';
import { checkFollows } from './follows.js';
import type { Group } from './group.js';
import type { Closing, InventoryCheck } from './inventory-check.js';
import { amountOf, PurchaseCheck } from './purchase-check.js';
import { ResaleCheck } from './resale-check.js';
import { checkReservation } from './reservation-check.js';
import type { Start } from './starts.js';
import { Tally } from './tally.js';
import type { SaleKind, Totals } from './totals.js';
import { integer, sameFields, text } from './values.js';

/** What a sale for a reservation has as its hold has it. */
const HELD = ['partner_id', 'deal', 'price', 'quantity'] as const;

/** A hold that has ended, and whose reservation comes with a later sale. */
interface EndedHold {
  readonly start: Start;
  readonly ended: ExportedEvent;
}

/** Checks what the inventory decided against the reservations, purchases and coupons that follow from it. */
export class SaleCheck {
  readonly #coupons: CouponCheck;
  readonly #purchases: PurchaseCheck;
  readonly #resales: ResaleCheck;
  /** By number. */
  readonly #ended = new Map<number, EndedHold>();

  constructor(
    private readonly faults: Faults,
    private readonly totals: Totals,
    inventory: InventoryCheck,
  ) {
    const { codes, returns } = inventory;
    this.#coupons = new CouponCheck({ faults, totals, codes, returns, barcodes: new Tally() });
    this.#purchases = new PurchaseCheck(faults, totals);
    this.#resales = new ResaleCheck(faults, this.#purchases, this.#coupons);
  }

  /** An event of the inventory that closes something, and the streams that belong to it. */
  close(event: ExportedEvent, { start, sale }: Closing, group: Group): void {
    if (event.type === 'hold-released.v1' || event.type === 'hold-expired.v1') this.#endHold(event, start, group);
    else if (sale === 'claims' || sale === 'late claims') this.#claim(event, start, sale, group);
    else if (start?.kind === 'checkout') this.#checkout(start, event, group);
    else if (start?.kind === 'resale') {
      const sold = this.#resales.close(start, event, sale !== null, group);
      if (sold !== undefined) this.#count('by resellers', sold, integer(sold.data['amount']));
    }
    this.#refuseRest(group);
  }

  /** A start that is open at the end, or one whose streams have not come before. */
  atEnd(start: Start, group: Group): void {
    const ended = this.#ended.get(start.number)?.ended;
    this.#ended.delete(start.number);
    if (start.kind === 'hold') {
      checkReservation({ placed: start.event, ended, sale: undefined }, group, this.faults);
      const [purchase] = group.take(`purchase-${start.id}`);
      if (purchase !== undefined) this.faults.add(purchase, 'accounts', 'the inventory has no sale for it');
    } else if (start.kind === 'checkout') this.#checkout(start, undefined, group);
    else this.#resales.atEnd(start, group);
    this.#refuseRest(group);
  }

  /** The starts that are closed, and whose streams have not come yet. */
  get unfinished(): readonly Start[] {
    return [...[...this.#ended.values()].map(({ start }) => start), ...this.#resales.unfinished];
  }

  end(): void {
    this.#resales.end();
  }

  #endHold(event: ExportedEvent, start: Start | undefined, group: Group): void {
    if (start === undefined) return;
    if (group.isEmpty) this.#ended.set(start.number, { start, ended: event });
    else checkReservation({ placed: start.event, ended: event, sale: undefined }, group, this.faults);
  }

  #claim(event: ExportedEvent, start: Start | undefined, kind: SaleKind, group: Group): void {
    const { faults } = this;
    const number = integer(event.data['number']);
    const before = this.#ended.get(number);
    this.#ended.delete(number);
    const placed = start?.event ?? before?.start.event;
    const id = text(event.data['purchase_id']);
    if (placed === undefined) {
      group.take(`reservation-${id}`);
      faults.missing(event, `reservation-${id} does not say so`);
    } else {
      if (
        placed.data['reservation_id'] !== id ||
        event.data['created_at'] !== placed.time ||
        !sameFields(event.data, placed.data, HELD)
      )
        faults.add(event, 'accounts', 'it does not sell what hold-placed says');
      checkReservation({ placed, ended: before?.ended, sale: event }, group, faults);
    }
    const stream = `purchase-${id}`;
    const [first, ...later] = group.take(stream);
    const corrections = this.#coupons.check({ decision: event, sale: event.data }, group);
    if (first === undefined) {
      if (!group.isUnreadable(stream)) faults.missing(event, `${stream} is missing`);
    } else {
      this.#purchases.recorded(first, event);
      this.#purchases.corrected(first, later, false, corrections);
    }
    this.#count(kind, event, amountOf(event.data));
  }

  /** @param closed undefined while the checkout is open */
  #checkout(start: Start, closed: ExportedEvent | undefined, group: Group): void {
    const { faults } = this;
    const stream = `purchase-${start.id}`;
    const events = group.take(stream);
    const [opened] = events;
    if (closed !== undefined && !sameFields(closed.data, start.event.data, ['user_id']))
      faults.add(closed, 'accounts', 'it names another user than checkout-started');
    if (opened === undefined) {
      if (!group.isUnreadable(stream)) faults.missing(start.event, `${stream} is missing`);
      return;
    }
    this.#purchases.opened(opened, start.event);
    const { event: outcome, isSold, later } = this.#purchases.charge(events);
    if (closed === undefined) {
      if (outcome !== undefined) faults.missing(outcome, 'the inventory does not say so');
    } else if (outcome === undefined || isSold !== (closed.type === 'checkout-sold.v1'))
      faults.add(closed, 'money', 'the charge does not have this outcome');
    else checkFollows(closed, outcome, faults);
    if (outcome !== undefined && isSold) {
      const corrections = this.#coupons.check({ decision: outcome, sale: outcome.data }, group);
      this.#purchases.corrected(opened, later, true, corrections);
    } else for (const event of later) faults.add(event, 'money', 'it comes after the end of the purchase');
    if (closed?.type === 'checkout-sold.v1') this.#count('by card', opened, integer(opened.data['amount']));
  }

  #count(kind: SaleKind, sale: ExportedEvent, amount: number): void {
    const sum = this.totals.sales[kind];
    sum.sales += 1;
    sum.units += integer(sale.data['quantity']);
    sum.amount += amount;
  }

  /** What nothing of the inventory accounts for. Coupons are named by the check of coupons, if there is one. */
  #refuseRest(group: Group): void {
    for (const first of group.rest) {
      group.take(first.stream);
      this.faults.add(first, 'accounts', 'nothing that the inventory decided accounts for it');
    }
  }
}
