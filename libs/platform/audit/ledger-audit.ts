import { createHash } from 'node:crypto';
import { type EventLogReader, type LedgerMark, pagesOf } from '#eventsourcing';
import type { Fault } from '#eventsourcing/verify';
import { streamName } from '#kernel';
import { purchase, type PurchaseEvent } from '#purchasing/model';
import type { GatewayLedger, LedgerEntry } from '#purchasing/ports';

import type { Pauses } from './pauses.js';

/** A ledger that can be read without moving money. */
export type ReadLedger = Pick<GatewayLedger, 'identity' | 'linesAfter'> & {
  /** The gateway's name in events, if the gateway itself is not open. */
  readonly gateway?: string;
};

/** The most charges that are compared; a ledger with more is not compared with what the log calls charged. */
const MOST_CHARGES = 1_000_000;

/** The charges of a ledger, and what was compared. */
export interface ReadCharges {
  /** Cents by purchase. */
  readonly charges: ReadonlyMap<string, number>;
  /** How many lines of the ledger were compared with their purchases. */
  readonly lines: number;
}

/** Compares what the gateway did with the log: each line of its ledger has its purchase, with the same amount. */
export class LedgerAudit {
  /** @param ledger undefined if the gateway keeps none that can be asked */
  constructor(
    private readonly log: Pick<EventLogReader, 'readStream'>,
    private readonly ledger: ReadLedger | undefined,
  ) {}

  /**
   * Reads the whole ledger.
   * @param pauses rests between its lines
   * @returns undefined if there is none, it does not answer, or it is too large
   */
  async compare(fault: (fault: Fault) => void, signal: AbortSignal, pauses?: Pauses): Promise<ReadCharges | undefined> {
    if (this.ledger === undefined) return undefined;
    const charges = new Map<string, number>();
    let lines = 0;
    try {
      const identity = await this.ledger.identity();
      let mark: LedgerMark = { identity, size: 0, digest: createHash('sha256').update('').digest('hex') };
      for (let more = true; more && !signal.aborted;) {
        const page = await this.ledger.linesAfter(mark);
        for (const entry of page.entries) {
          lines += 1;
          await pauses?.between();
          const what = await this.#wrongWith(entry);
          const where = streamName(purchase.category, entry.charge);
          if (what !== undefined) fault({ kind: 'ledger', where, position: null, what });
          if (entry.kind === 'charge' && entry.amount > 0) charges.set(entry.key, entry.amount);
        }
        ({ end: mark, more } = page);
        if (charges.size > MOST_CHARGES) return undefined;
      }
    } catch {
      return undefined;
    }
    return { charges, lines };
  }

  async #wrongWith({ kind, key, charge, amount }: LedgerEntry): Promise<string | undefined> {
    let events = 0;
    let refunded: number | undefined;
    for await (const page of pagesOf(this.log, streamName(purchase.category, charge))) {
      for (const stored of page) {
        events += 1;
        const { type, data } = stored as { readonly type: string; readonly data: object } as PurchaseEvent;
        if (kind === 'charge' && type === 'purchase-opened.v1' && amount !== 0 && data.amount !== amount)
          return `the gateway charged ${amount}, and the purchase costs ${data.amount}`;
        if (kind === 'refund' && type === 'purchase-coupon-cancelled.v1' && data.coupon_id === key)
          refunded = data.refund;
      }
    }
    if (events === 0) return `the gateway has a ${kind} of ${amount} for a purchase that the log lacks`;
    if (kind === 'refund' && refunded !== amount)
      return `the gateway gave back ${amount} for coupon ${key}, and by the log ${refunded ?? 'nothing'} was due`;
    return undefined;
  }
}
