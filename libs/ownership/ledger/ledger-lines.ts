import { createHash } from 'node:crypto';
import type { Finding, LedgerMark } from '#eventsourcing';
import type { GatewayLedger, LedgerEntry } from '#purchasing/ports';
import { unknownLinesFinding } from './ledger-findings.js';

/** Lines of a ledger that the log does not know. */
interface UnknownLines {
  readonly finding: Finding;
  /** Their names, part by part: they are read again. */
  named(): AsyncGenerator<readonly string[], void>;
}

/** How many lines the message of a finding names. */
const SHOWN = 5;

/**
 * Compares lines of the gateway's ledger with the log: each follows a decision that was written before. If one is not there,
 * the log is an older copy than the ledger: money was taken for purchases that it does not have.
 */
export class LedgerLines {
  constructor(
    private readonly ledger: Pick<GatewayLedger, 'linesAfter'>,
    private readonly isKnown: (entry: LedgerEntry) => Promise<boolean>,
  ) {}

  /**
   * What the ledger has done between two marks without the log's knowledge; undefined for nothing.
   * @param checked called with each mark up to which the log knows everything, so that the next check begins there
   * @throws Unavailable if the log cannot be asked; GatewayOutcomeUnknown if the gateway cannot
   */
  async unknown(
    from: LedgerMark,
    until: LedgerMark,
    checked: (mark: LedgerMark) => Promise<void>,
  ): Promise<UnknownLines | undefined> {
    const digest = createHash('sha256');
    const first: string[] = [];
    let count = 0;
    for await (const { unknown, end } of this.#parts(from, until)) {
      for (const name of unknown) digest.update(`${name}\n`);
      first.push(...unknown.slice(0, SHOWN - first.length));
      count += unknown.length;
      if (count === 0) await checked(end);
    }
    if (count === 0) return undefined;
    return {
      finding: unknownLinesFinding(until.identity, { count, first, digest: digest.digest('hex') }),
      named: () => this.#named(from, until),
    };
  }

  async *#named(from: LedgerMark, until: LedgerMark): AsyncGenerator<readonly string[], void> {
    for await (const { unknown } of this.#parts(from, until)) if (unknown.length > 0) yield unknown;
  }

  async *#parts(
    from: LedgerMark,
    until: LedgerMark,
  ): AsyncGenerator<{ readonly unknown: readonly string[]; readonly end: LedgerMark }, void> {
    for (let at = from; at.size < until.size;) {
      const { entries, end, more } = await this.ledger.linesAfter(at);
      const unknown: string[] = [];
      for (const entry of entries) if (!(await this.isKnown(entry))) unknown.push(nameOf(entry));
      yield { unknown, end };
      if (!more) return;
      at = end;
    }
  }
}

/** For people: what an operator looks for in the gateway's own records. */
function nameOf({ kind, key, charge, amount }: LedgerEntry): string {
  return kind === 'refund' ? `refund ${key} of charge ${charge} (${amount} cents)` : `${kind} ${key} (${amount} cents)`;
}
