import type { CancelLine, ChargeLine, LedgerLine, RefundLine } from './ledger-line.js';

/** The charges and refunds that a ledger's lines add up to. */
export class Accounts {
  readonly #charges = new Map<string, ChargeLine>();
  readonly #refunds = new Map<string, RefundLine>();
  readonly #cancels = new Map<string, CancelLine>();
  readonly #left = new Map<string, number>();

  #lines = 0;

  take(line: LedgerLine): void {
    this.#lines += 1;
    switch (line.kind) {
      case 'charge':
        this.#charges.set(line.key, line);
        if (line.outcome === 'approved') this.#left.set(line.key, line.amount);
        break;
      case 'refund':
        this.#refunds.set(line.key, line);
        this.#left.set(line.charge, (this.#left.get(line.charge) ?? 0) - line.amount);
        break;
      case 'cancel':
        this.#cancels.set(line.key, line);
        if (line.outcome === 'refunded') this.#left.set(line.key, 0);
        break;
    }
  }

  /** The number of lines. */
  get lines(): number {
    return this.#lines;
  }

  /** The last line about a charge. */
  charge(key: string): ChargeLine | undefined {
    return this.#charges.get(key);
  }

  refund(key: string): RefundLine | undefined {
    return this.#refunds.get(key);
  }

  cancel(key: string): CancelLine | undefined {
    return this.#cancels.get(key);
  }

  /** Cents that an approved charge still holds; undefined if none was approved. */
  left(key: string): number | undefined {
    return this.#left.get(key);
  }
}
