import { type Finding, type OwnedLog, type Time, type Timer, Unavailable } from '#eventsourcing';
import type { GatewayLedger } from '#purchasing/ports';
import { checkLedger, olderLedgerFinding } from './ledger-findings.js';
import type { LedgerLines } from './ledger-lines.js';
import type { KnownEnd } from './ledger-marks.js';

/** Milliseconds between two checks of a gateway with a wrong ledger: an operator may put the right one back. */
const LOOK_EVERY = 2_000;

/** The ledger of a gateway, and what is known of it. */
export interface KeptLedger {
  readonly ledger: Pick<GatewayLedger, 'identity'>;
  /** Its known end. */
  readonly marks: KnownEnd;
  /** Compares its lines with the log. */
  readonly lines: Pick<LedgerLines, 'unknown'>;
}

/**
 * Checks that the gateway keeps the ledger that the log names, not an older copy of it, and nothing that the log does not know:
 * at the start, and after a call without an answer, before the next call.
 */
export class LedgerWatch {
  #known = false;
  /** Whether the gateway has ever answered. */
  #asked = false;
  #finding: Finding | undefined;
  #asking: Promise<void> | undefined;
  #timer: Timer | undefined;
  #closed = false;

  /**
   * @param options.kept the gateway's ledger; undefined if it has none
   * @param options.refuses takes a finding against the log itself; whether it is refused, because no operator has accepted it
   * @param options.lost called with names of lines, at most those of one part, whose loss an operator has accepted
   * @param options.accepts whether an operator has accepted a finding
   * @param options.notice called once for each finding that is not accepted
   */
  constructor(
    private readonly options: {
      readonly log: Pick<OwnedLog, 'record' | 'own'>;
      readonly kept: KeptLedger | undefined;
      readonly refuses: (finding: Finding) => boolean;
      readonly lost: (names: readonly string[]) => void;
      readonly accepts: (finding: Finding) => boolean;
      readonly notice: (finding: Finding) => void;
      readonly time: Time;
    },
  ) {}

  /** The finding, if the ledger is known to be wrong. */
  get findings(): readonly Finding[] {
    return this.#finding === undefined ? [] : [this.#finding];
  }

  /** Makes the next call check the ledger again. */
  doubt(): void {
    this.#known = false;
  }

  /**
   * Resolves once the gateway is known to keep the right ledger.
   * @throws Unavailable if it keeps a wrong one, or if the log cannot answer; GatewayOutcomeUnknown if the gateway does not answer
   */
  async passed(): Promise<void> {
    if (!this.#known) await (this.#asking ??= this.#ask().finally(() => (this.#asking = undefined)));
    if (this.#finding !== undefined)
      throw new Unavailable('the payment gateway needs an operator: see /health/ready', 10);
  }

  /** Stops all checks. */
  close(): void {
    this.#closed = true;
    this.options.time.cancel(this.#timer);
  }

  async #ask(): Promise<void> {
    const { kept, log, accepts, notice } = this.options;
    const finding = await this.#find(async () => {
      const other = await checkLedger(log, await kept?.ledger.identity(), accepts);
      return other ?? (kept && (await this.#behindOrAhead(kept)));
    });
    this.#asked = true;
    if (finding !== undefined && finding.code !== this.#finding?.code) notice(finding);
    this.#finding = finding;
    this.#known = finding === undefined;
    if (finding !== undefined) this.#lookAgain();
  }

  /** Until the gateway has answered once, it is asked again: nobody else may ask it for long. */
  async #find(ask: () => Promise<Finding | undefined>): Promise<Finding | undefined> {
    try {
      return await ask();
    } catch (error) {
      if (!this.#asked) this.#lookAgain();
      throw error;
    }
  }

  /**
   * Compares the end of the ledger with the known one.
   * @throws Unavailable if the log is refused, because it does not know what the ledger has done since
   */
  async #behindOrAhead({ marks, lines }: KeptLedger): Promise<Finding | undefined> {
    const { refuses, lost, accepts } = this.options;
    const { known, there, reached } = await marks.look();
    if (known !== undefined && !reached) {
      const finding = olderLedgerFinding(known, there);
      if (!accepts(finding)) return finding;
      await marks.begin(there);
      return undefined;
    }
    const unknown = known && (await lines.unknown(known, there, (mark) => marks.reach(mark)));
    if (unknown === undefined) {
      await marks.reach(there);
      return undefined;
    }
    if (refuses(unknown.finding)) {
      this.#asked = true;
      throw new Unavailable('the event log needs an operator: see /health/ready', 10);
    }
    for await (const names of unknown.named()) lost(names);
    await marks.begin(there);
    return undefined;
  }

  #lookAgain(): void {
    this.options.time.cancel(this.#timer);
    if (this.#closed) return;
    const look = (): void =>
      void this.passed().catch(() => {
        if (this.#finding !== undefined || !this.#asked) this.#lookAgain();
      });
    this.#timer = this.options.time.after(LOOK_EVERY, look).unref();
  }
}
