import type { Recorded } from '#kernel';
import type { GatewayServer } from '../world/gateway.js';
import { placeOf, Violation } from './violation.js';

interface Data {
  readonly purchase_id: string;
  readonly reservation_id: string;
  readonly number: number;
  readonly coupon_id: string;
  readonly resale_id: string | null;
  readonly quantity: number;
  readonly amount: number;
  readonly refund_by: 'gateway' | 'partner';
  readonly refund: number;
  readonly coupons: readonly { readonly id: string }[];
  readonly replacement_id: string;
  readonly replacement: { readonly coupon_id: string };
  readonly card_link_id: string;
  readonly turn: number;
  readonly batch_id: string;
}

/** Every decision with its followers, once the world has come to rest; and the money of every purchase. */
export function checkSales(events: readonly Recorded[], gateway: GatewayServer): void {
  const of = (...types: readonly string[]): readonly Recorded[] => events.filter(({ type }) => types.includes(type));
  const ids = (name: keyof Data, ...types: readonly string[]): readonly string[] =>
    of(...types).map(({ data }) => (data as Readonly<Record<string, string>>)[name] ?? '');
  const paired = (what: string, decided: readonly string[], followed: readonly string[]): void => {
    const [a, b] = [tally(decided), tally(followed)];
    for (const id of new Set([...a.keys(), ...b.keys()]))
      if (a.get(id) !== b.get(id))
        throw new Violation(
          'every decision has its followers once',
          `${what} ${id}`,
          `${b.get(id) ?? 0}; expected ${a.get(id) ?? 0}`,
        );
  };
  const holds = of('hold-placed.v1').map(
    ({ data }) => `${(data as Data).reservation_id} number ${(data as Data).number}`,
  );
  const reservations = of('reservation-placed.v1').map(
    ({ data }) => `${(data as Data).purchase_id} number ${(data as Data).number}`,
  );
  paired('reservation', holds, reservations);
  const claims = ids('purchase_id', 'hold-claimed.v1', 'units-sold.v1');
  for (const end of ['released', 'expired']) {
    const followed = ids('purchase_id', `reservation-${end}.v1`);
    // A late claim may reach the reservation before the end of its hold does, which then changes nothing there.
    const due = ids('reservation_id', `hold-${end}.v1`).filter((id) => followed.includes(id) || !claims.includes(id));
    paired(`${end} reservation`, due, followed);
  }
  paired('claimed reservation', claims, ids('purchase_id', 'reservation-claimed.v1'));
  paired('recorded purchase', claims, ids('purchase_id', 'purchase-recorded.v1'));
  paired('opened purchase', ids('purchase_id', 'checkout-started.v1'), ids('purchase_id', 'purchase-opened.v1'));
  paired('sold checkout', ids('purchase_id', 'purchase-charged.v1'), ids('purchase_id', 'checkout-sold.v1'));
  paired(
    'undone checkout',
    ids('purchase_id', 'purchase-declined.v1', 'purchase-voided.v1'),
    ids('purchase_id', 'checkout-undone.v1'),
  );
  const resales = of('purchase-resold.v1').flatMap(({ data }) => (data as Data).resale_id ?? []);
  paired('resale', resales, ids('resale_id', 'resale-sold.v1'));
  paired('abandoned resale', ids('resale_id', 'purchase-resale-abandoned.v1'), ids('resale_id', 'resale-undone.v1'));
  paired(
    'started resale',
    ids('resale_id', 'resale-started.v1'),
    ids('resale_id', 'resale-sold.v1', 'resale-undone.v1'),
  );
  const ofStock = of('coupon-cancelled.v1').filter(
    ({ data }) => (data as { readonly unit: number | null }).unit !== null,
  );
  paired(
    'returned unit',
    ofStock.map(({ data }) => (data as Data).coupon_id),
    ids('coupon_id', 'unit-returned.v1'),
  );
  paired('cancelled coupon', ids('coupon_id', 'coupon-cancelled.v1'), ids('coupon_id', 'purchase-coupon-cancelled.v1'));
  const replaced = of('coupon-reissued.v1').map(({ data }) => (data as Data).replacement.coupon_id);
  paired('issued coupon', [...couponsDue(of), ...replaced], ids('coupon_id', 'coupon-issued.v1'));
  paired('replaced coupon', replaced, ids('replacement_id', 'purchase-coupon-replaced.v1'));
  checkOutcomes(events);
  const turns = (type: string): readonly string[] =>
    of(type).map(({ data }) => `${(data as Data).card_link_id}@${(data as Data).turn}`);
  // A call that keeps a link among several writes the same turn again.
  paired('link', turns('user-linked.v1'), [...new Set(turns('card-linked.v1'))]);
  paired('freed place', [...turns('card-unlinked.v1'), ...turns('card-link-undone.v1')], turns('place-freed.v1'));
  paired('batch', ids('batch_id', 'users-scheduled.v1'), ids('batch_id', 'batch-created.v1'));
  paired('cancelled batch', ids('batch_id', 'batch-cancelled.v1'), ids('batch_id', 'users-freed.v1'));
  checkMoney(of, gateway);
}

/** What may stand in the stream of a purchase once at most, by the outcome that it belongs to. */
const ONCE: readonly (readonly string[])[] = [
  ['purchase-recorded.v1', 'purchase-opened.v1', 'purchase-resold.v1'],
  ['purchase-charge-lost.v1'],
  ['purchase-charge-refused.v1', 'purchase-void-asked.v1'],
  ['purchase-charged.v1', 'purchase-declined.v1', 'purchase-voided.v1'],
  ['purchase-refund-asked.v1'],
];

/** A purchase begins once, and its charge has one outcome. */
function checkOutcomes(events: readonly Recorded[]): void {
  const seen = new Set<string>();
  for (const event of events) {
    const step = ONCE.findIndex((types) => types.includes(event.type));
    if (step === -1) continue;
    const place = `${step} ${event.stream}`;
    if (seen.has(place))
      throw new Violation('a purchase takes each step once', placeOf(event), 'it has taken it before');
    seen.add(place);
  }
}

/** The coupons of every sale that was paid, or that needs no payment by us. */
function couponsDue(of: (...types: readonly string[]) => readonly Recorded[]): readonly string[] {
  const charged = new Set(of('purchase-charged.v1').map(({ data }) => (data as Data).purchase_id));
  const sales = of('hold-claimed.v1', 'units-sold.v1', 'purchase-resold.v1', 'purchase-opened.v1');
  return sales
    .filter(({ type, data }) => type !== 'purchase-opened.v1' || charged.has((data as Data).purchase_id))
    .flatMap(({ data }) => (data as Data).coupons.map(({ id }) => id));
}

/** The ledger and the log say the same: what is charged and not given back is what is sold and not cancelled. */
function checkMoney(of: (...types: readonly string[]) => readonly Recorded[], gateway: GatewayServer): void {
  const due = new Map<string, number>();
  for (const { data } of of('purchase-charged.v1')) due.set((data as Data).purchase_id, (data as Data).amount);
  for (const { data } of of('purchase-coupon-cancelled.v1')) {
    const { purchase_id, refund_by, refund } = data as Data;
    const before = due.get(purchase_id);
    if (before === undefined) {
      if (refund_by === 'gateway')
        throw new Violation('ledger equals log', `purchase ${purchase_id}`, `${refund} cents of nothing go back`);
    } else if (refund_by === 'partner')
      throw new Violation(
        'ledger equals log',
        `purchase ${purchase_id}`,
        `a partner owes ${refund} cents that we took`,
      );
    else due.set(purchase_id, before - refund);
  }
  // What the gateway will never give back, people must.
  for (const { data } of of('purchase-money-refused.v1')) {
    const { purchase_id, amount } = data as Data;
    due.set(purchase_id, (due.get(purchase_id) ?? 0) + amount);
  }
  const opened = new Set(of('purchase-opened.v1').map(({ data }) => (data as Data).purchase_id));
  for (const entry of gateway.ledger)
    if (entry.kind === 'charge' && !opened.has(entry.key))
      throw new Violation('ledger equals log', `purchase ${entry.key}`, 'it was charged and never opened');
  for (const purchase of opened) {
    const [expected, left] = [due.get(purchase) ?? 0, gateway.left(purchase) ?? 0];
    if (left !== expected)
      throw new Violation(
        'ledger equals log',
        `purchase ${purchase}`,
        `${left} cents are charged; expected ${expected}`,
      );
  }
}

function tally(of: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const each of of) counts.set(each, (counts.get(each) ?? 0) + 1);
  return counts;
}
