import { expect } from '@jest/globals';
import type { CancelLine, ChargeLine, LedgerLine, RefundLine } from '#adapters/sandbox-gateway';
import type { Recorded } from '#kernel';
import { codec } from '#platform/model';
import type { PurchaseEvent, PurchaseOpened } from '#purchasing/model';

/** What the log says about one purchase that our gateway was to charge. */
interface Logged {
  readonly opened: PurchaseOpened;
  outcome: 'unknown' | 'charged' | 'declined' | 'voided';
  /** Whether the void gave money back. */
  voidedRefund: boolean;
  /** Cents to give back, by cancelled coupon. */
  readonly cancelled: Map<string, number>;
  /** Coupons whose money the gateway confirmed to have given back. */
  readonly returned: string[];
}

/** What the ledger says about one charge. */
interface Booked {
  readonly charges: ChargeLine[];
  readonly refunds: RefundLine[];
  readonly cancels: CancelLine[];
}

/** How many there are of each, for whoever runs the campaign. */
export interface Counts {
  readonly purchases: number;
  readonly charged: number;
  readonly declined: number;
  readonly voided: number;
  readonly refunds: number;
  /** Charges whose outcome the work list found out. */
  readonly takenOver: number;
}

/**
 * Expects that ledger and log agree on every purchase: no charge without a fulfilled purchase, no fulfilled purchase without its
 * one charge, and the same refunds in both.
 */
export function expectAgreement(log: readonly Recorded[], ledger: readonly LedgerLine[]): Counts {
  const events = log.map((event) => codec.decode(event));
  const logged = loggedOf(events);
  const booked = bookedOf(ledger);
  expect([...booked.keys()].filter((key) => !logged.has(key))).toEqual([]);
  const disagreements: object[] = [];
  for (const [id, purchase] of logged) {
    const booking = booked.get(id) ?? { charges: [], refunds: [], cancels: [] };
    const [inLog, inLedger] = [accountOf(purchase), accountIn(booking)];
    try {
      expect(inLedger).toEqual(inLog);
    } catch {
      disagreements.push({ id, inLog, inLedger, opened: purchase.opened, booking });
    }
  }
  expect(disagreements).toEqual([]);
  const all = [...logged.values()];
  const withOutcome = (outcome: Logged['outcome']): number => all.filter((each) => each.outcome === outcome).length;
  return {
    purchases: all.length,
    charged: withOutcome('charged'),
    declined: withOutcome('declined'),
    voided: withOutcome('voided'),
    refunds: ledger.filter(({ kind }) => kind === 'refund').length,
    takenOver: events.filter(
      ({ type, metadata }) =>
        ['purchase-charged.v1', 'purchase-declined.v1'].includes(type) && metadata.actor === 'system:open-checkouts',
    ).length,
  };
}

/** One purchase's money, from log or ledger. */
interface Account {
  readonly outcome: string;
  /** Cents of each charge that was approved and not cancelled. */
  readonly taken: readonly number[];
  /** Cents by coupon. */
  readonly givenBack: Readonly<Record<string, number>>;
  /** Cents that the gateway keeps. */
  readonly kept: number;
}

function accountOf({ opened, outcome, voidedRefund, cancelled, returned }: Logged): Account {
  const givenBack = Object.fromEntries([...cancelled].sort().filter(([, refund]) => refund > 0));
  // The gateway has confirmed everything that the log wants to give back, once for each coupon.
  expect({ id: opened.purchase_id, returned: returned.toSorted() }).toEqual({
    id: opened.purchase_id,
    returned: Object.keys(givenBack),
  });
  const paid = outcome === 'charged';
  return {
    outcome: outcome === 'voided' && voidedRefund ? 'voided and given back' : outcome,
    taken: paid ? [opened.amount] : [],
    givenBack,
    kept: paid ? (opened.quantity - cancelled.size) * opened.price : 0,
  };
}

function accountIn({ charges, refunds, cancels }: Booked): Account {
  const approved = charges.filter(({ outcome }) => outcome === 'approved').map(({ amount }) => amount);
  const total = (of: readonly number[]): number => of.reduce((sum, amount) => sum + amount, 0);
  const givenBack = refunds.map(({ key, amount }) => [key, amount] as const);
  const outcome = outcomeIn(charges, cancels);
  const [cancel] = cancels;
  return {
    outcome,
    taken: cancel === undefined ? approved : [],
    givenBack: Object.fromEntries(givenBack),
    kept: total(approved) - total(givenBack.map(([, amount]) => amount)) - (cancel?.amount ?? 0),
  };
}

function outcomeIn(charges: readonly ChargeLine[], cancels: readonly CancelLine[]): string {
  const answered = charges.filter(({ outcome }) => outcome !== 'silent');
  if (cancels.length > 1 || (cancels.length === 0 && answered.length > 1)) return 'done twice';
  if (cancels[0] !== undefined) return cancels[0].outcome === 'refunded' ? 'voided and given back' : 'voided';
  const [charge] = answered;
  if (charge === undefined) return charges.length === 0 ? 'never asked' : 'unknown';
  return charge.outcome === 'approved' ? 'charged' : charge.outcome;
}

function loggedOf(events: readonly Recorded[]): ReadonlyMap<string, Logged> {
  const purchases = new Map<string, Logged>();
  for (const recorded of events) {
    if (!recorded.stream.startsWith('purchase-')) continue;
    const event = recorded as Recorded<PurchaseEvent>;
    const { purchase_id } = event.data;
    const purchase = purchases.get(purchase_id);
    if (event.type === 'purchase-opened.v1') {
      purchases.set(purchase_id, {
        opened: event.data,
        outcome: 'unknown',
        voidedRefund: false,
        cancelled: new Map(),
        returned: [],
      });
    } else if (purchase !== undefined) {
      take(purchase, event);
    }
  }
  return purchases;
}

function take(purchase: Logged, event: Recorded<PurchaseEvent>): void {
  const close = (outcome: 'charged' | 'declined' | 'voided'): void => {
    if (purchase.outcome !== 'unknown') throw new Error(`${event.stream} is closed twice`);
    purchase.outcome = outcome;
  };
  switch (event.type) {
    case 'purchase-charged.v1':
      return close('charged');
    case 'purchase-declined.v1':
      return close('declined');
    case 'purchase-voided.v1':
      purchase.voidedRefund = event.data.refunded;
      return close('voided');
    case 'purchase-coupon-cancelled.v1':
      purchase.cancelled.set(event.data.coupon_id, event.data.refund);
      return;
    case 'purchase-money-returned.v1':
      purchase.returned.push(event.data.coupon_id);
      return;
    default:
      return;
  }
}

function bookedOf(ledger: readonly LedgerLine[]): ReadonlyMap<string, Booked> {
  const charges = new Map<string, Booked>();
  for (const line of ledger) {
    const key = line.kind === 'refund' ? line.charge : line.key;
    const booked = charges.get(key) ?? { charges: [], refunds: [], cancels: [] };
    charges.set(key, booked);
    if (line.kind === 'charge') booked.charges.push(line);
    else if (line.kind === 'refund') booked.refunds.push(line);
    else booked.cancels.push(line);
  }
  return charges;
}
