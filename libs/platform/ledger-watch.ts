import {
  checkLedger,
  type Finding,
  olderLedgerFinding,
  type OwnedLog,
  type Time,
  type Timer,
  Unavailable,
} from '#eventsourcing';
import type { PaymentGateway } from '#purchasing/ports';
import type { LedgerMarks } from './ledger-marks.js';

/** Milliseconds between two checks of a gateway with a wrong ledger: an operator may put the right one back. */
const LOOK_EVERY = 2_000;

/**
 * Checks that the gateway keeps the ledger that the log names, and not an older copy of it: at the start, and after a call
 * without an answer, before the next call.
 */
export class LedgerWatch {
  #known = false;
  #finding: Finding | undefined;
  #asking: Promise<void> | undefined;
  #timer: Timer | undefined;
  #closed = false;

  /**
   * @param options.marks the known end of the ledger; absent if the survey of the folder has already checked it
   * @param options.accepts whether an operator has accepted a finding
   * @param options.notice called once for each finding that is not accepted
   */
  constructor(
    private readonly options: {
      readonly gateway: Pick<PaymentGateway, 'ledger'>;
      readonly log: Pick<OwnedLog, 'record' | 'own'>;
      readonly marks?: Pick<LedgerMarks, 'missing' | 'begin'> | undefined;
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
    const { gateway, log, accepts, notice } = this.options;
    const finding = (await checkLedger(log, await gateway.ledger(), accepts)) ?? (await this.#older());
    if (finding !== undefined && finding.code !== this.#finding?.code) notice(finding);
    this.#finding = finding;
    this.#known = finding === undefined;
    if (finding !== undefined) this.#lookAgain();
  }

  async #older(): Promise<Finding | undefined> {
    const { marks, accepts } = this.options;
    const missing = await marks?.missing();
    if (missing === undefined) return undefined;
    const finding = olderLedgerFinding(missing.known, missing.there);
    if (!accepts(finding)) return finding;
    await marks?.begin(missing.there);
    return undefined;
  }

  #lookAgain(): void {
    this.options.time.cancel(this.#timer);
    if (this.#closed) return;
    const look = (): void =>
      void this.passed().catch(() => {
        if (this.#finding !== undefined) this.#lookAgain();
      });
    this.#timer = this.options.time.after(LOOK_EVERY, look).unref();
  }
}
