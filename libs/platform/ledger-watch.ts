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

/** Milliseconds between two looks at a gateway that keeps another ledger: the right one may be put back. */
const LOOK_EVERY = 2_000;

/**
 * Sees that the gateway keeps the ledger that the log names, and no older copy of it. It is asked at the start, and again before the next call
 * whenever one got no answer.
 */
export class LedgerWatch {
  #known = false;
  #finding: Finding | undefined;
  #asking: Promise<void> | undefined;
  #timer: Timer | undefined;
  #closed = false;

  /**
   * @param options.marks how far the ledger is known; absent where whoever opened it has seen that it is whole
   * @param options.accepts whether a finding is accepted
   * @param options.notice called once for each finding that is not
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

  /** What an operator has to see to; nothing while the ledger is the right one, as far as is known. */
  get findings(): readonly Finding[] {
    return this.#finding === undefined ? [] : [this.#finding];
  }

  /** It may keep another one by now. */
  doubt(): void {
    this.#known = false;
  }

  /**
   * Waits until it is known that the gateway keeps the right ledger.
   * @throws Unavailable where it keeps another one, or the log cannot be asked; GatewayOutcomeUnknown where it does not say
   */
  async passed(): Promise<void> {
    if (!this.#known) await (this.#asking ??= this.#ask().finally(() => (this.#asking = undefined)));
    if (this.#finding !== undefined)
      throw new Unavailable('the payment gateway needs an operator: see /health/ready', 10);
  }

  /** Asks nothing by itself any more. */
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
