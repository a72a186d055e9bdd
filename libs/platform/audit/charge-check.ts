import { type Checked, faultAt, type LogCheck, type Report } from '#eventsourcing/verify';
import type { EventBody, Position, Recorded } from '#kernel';
import type { PurchaseEvent } from '#purchasing/model';

/** The charges that a gateway's ledger has. */
export interface LedgerCharges {
  /** Cents by purchase. */
  readonly charges: ReadonlyMap<string, number>;
  /** The gateway's name in events. */
  readonly gateway: string;
  /** The log’s end before the ledger was read: of later charges it may know nothing. */
  readonly until: Position;
}

/** Compares what the log calls charged with the gateway's ledger. */
export class ChargeCheck implements LogCheck {
  constructor(
    private readonly ledger: LedgerCharges,
    private readonly report: Report,
    private readonly checked: Checked,
  ) {}

  take(_: Recorded, event: Recorded | undefined): undefined {
    if (event?.type !== 'purchase-charged.v1' || event.position > this.ledger.until) return;
    const { data } = event as EventBody as Extract<PurchaseEvent, { readonly type: 'purchase-charged.v1' }>;
    if (data.gateway !== this.ledger.gateway) return;
    this.checked.charges += 1;
    const charged = this.ledger.charges.get(data.purchase_id);
    if (charged === data.amount) return;
    const what =
      charged === undefined
        ? 'the gateway has no such charge'
        : `the gateway charged ${charged}, and not ${data.amount}`;
    this.report(faultAt('ledger', event, what));
  }
}
