import { CALL_PATIENCE } from '../call-deadline.js';
import { Unavailable } from '../errors.js';
import { StoreFailed } from '../ports/store-failed.js';
import type { Time, Timer } from '../ports/time.js';
import { Acceptance } from './acceptance.js';
import type { Accepted } from './accepted.js';
import { type Finding, findingOf } from './finding.js';
import { Findings } from './findings.js';

/** A right to decide that lapses by itself, where two processes of one installation must not decide at once. */
export interface HeldLease {
  /** Whether it is held for certain, without asking. */
  readonly held: boolean;
  /**
   * Makes sure that it is held still.
   * @returns a finding when another process has it
   * @throws Unavailable when nobody can be asked
   */
  hold(): Promise<Finding | undefined>;
}

/** Where it is decided whether the log is ours: the command loop, gateway calls and health ask it. */
export class LogGuard {
  readonly #findings: Findings;
  readonly #acceptance: Acceptance;
  #checking: Promise<void> | undefined;
  #again = false;
  #uncertain = false;
  #whenRefused = (): void => undefined;
  #closed = false;

  /**
   * @param options.check looks at identity, owner and mark; rejects with Unavailable while the log cannot be asked
   * @param options.accepted the codes that the operator accepts
   * @param options.notice called once for each finding that is not accepted
   * @param options.before what was accepted at earlier starts
   * @param options.remember called with what was found in a stream and is accepted: it is found again at every start
   * @param options.lease where two processes of one installation must not decide at once
   */
  constructor(
    private readonly options: {
      readonly check: () => Promise<readonly Finding[]>;
      readonly accepted: ReadonlySet<string>;
      readonly notice: (finding: Finding) => void;
      readonly time: Time;
      readonly before?: readonly Accepted[];
      readonly remember?: (accepted: Finding) => void;
      readonly lease?: HeldLease | undefined;
    },
  ) {
    const { accepted, before = [], remember = () => undefined, notice } = options;
    this.#findings = new Findings(notice);
    this.#acceptance = new Acceptance(accepted, before, remember);
  }

  /** What was found and is not accepted, as far as it is told. */
  get findings(): readonly Finding[] {
    return this.#findings.reported;
  }

  /** How many findings there are beyond those. */
  get unreported(): number {
    return this.#findings.unreported;
  }

  /** Whether the whole log is refused: this process decides nothing at all any more. */
  get refused(): boolean {
    return this.#findings.ofWholeLog;
  }

  /** Whether nothing may be decided on this stream. */
  refuses(stream: string): boolean {
    return this.#findings.affect(stream);
  }

  /** Whether it is not known for certain that the log is ours: then nothing at all is written to it. */
  get doubtful(): boolean {
    return this.#checking !== undefined || this.refused;
  }

  /** Whether it could not be asked, the last time, whether the log is ours. */
  get uncertain(): boolean {
    return this.#uncertain;
  }

  /** Whether decisions may go on, on every stream without a finding of its own, without waiting. */
  get open(): boolean {
    return this.#checking === undefined && this.options.lease?.held !== false && !this.refused;
  }

  /**
   * Waits for a check that is under way.
   * @param within milliseconds
   * @throws Unavailable when the log, or this stream, has a finding that is not accepted, or nobody can be asked
   */
  async passed(stream?: string, within = CALL_PATIENCE): Promise<void> {
    const { time } = this.options;
    const until = time.monotonic() + within;
    // While one thing was asked, another may have become doubtful.
    while (!this.open && !this.refused) {
      const left = until - time.monotonic();
      if (left < 0) throw new Unavailable('the event log cannot be asked now');
      await inTime(this.#checking ?? this.#hold(), left, time);
    }
    if (stream === undefined ? this.refused : this.refuses(stream))
      throw new Unavailable('the event log needs an operator: see /health/ready', 10);
  }

  /** A call or a subscription broke: the log is checked again before anything more is decided. */
  doubt(): void {
    this.#again = true;
    this.#checking ??= this.#check();
  }

  /** Whether it is known, and accepted, that the stream lacks what a gap lacks. */
  lacks(gap: Finding): boolean {
    return this.#acceptance.lacks(gap);
  }

  /**
   * Something contradicts that the log is ours: nothing more is decided on what it concerns, unless it is accepted.
   * @returns whether it is refused
   */
  refuse(finding: Finding): boolean {
    if (this.#findings.has(finding)) return true;
    if (this.#acceptance.accepts(finding)) return false;
    const known = this.refused;
    this.#findings.add(finding);
    if (this.refused && !known) this.#whenRefused();
    return true;
  }

  /** What was built from the log contradicts it: the log is asked first, and where it answers for itself, that says more. */
  async refuseAfterCheck(finding: Finding): Promise<void> {
    this.doubt();
    await this.#checking;
    if (!this.refused && !this.#closed) this.refuse(finding);
  }

  /** Calls back as soon as the whole log is refused, or at once where it is. */
  whenRefused(call: () => void): void {
    this.#whenRefused = call;
    if (this.refused) call();
  }

  /**
   * What a stream was just found to say against itself, or the log.
   * @throws Unavailable unless there is nothing, or the operator has accepted it
   */
  async heed(finding: Finding | undefined, stream: string): Promise<void> {
    if (finding === undefined) return;
    this.refuse(finding);
    await this.passed(stream);
  }

  /** Asks nothing any more. */
  close(): void {
    this.#closed = true;
    this.#again = false;
  }

  get #over(): boolean {
    return this.#closed;
  }

  async #hold(): Promise<void> {
    const finding = await this.options.lease?.hold();
    if (finding !== undefined) this.refuse(finding);
  }

  async #check(): Promise<void> {
    while (this.#again && !this.#closed) {
      this.#again = false;
      try {
        for (const finding of await this.options.check()) this.refuse(finding);
        this.#uncertain = false;
      } catch (error) {
        if (this.#over) break;
        if (error instanceof Unavailable || error instanceof StoreFailed) {
          // It cannot be asked now: nothing is decided until it can.
          this.#again = true;
          this.#uncertain = true;
          await this.options.time.pause(RETRY_AFTER);
        } else {
          const reason = error instanceof Error ? error.message : String(error);
          this.refuse(findingOf(reason, ['unreadable', reason]));
        }
      }
    }
    this.#checking = undefined;
  }
}

/** Milliseconds until a log that could not be asked is asked again. */
const RETRY_AFTER = 100;

/** @throws Unavailable after so many milliseconds */
async function inTime(work: Promise<void>, within: number, time: Time): Promise<void> {
  let timer: Timer | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = time.after(within, () => reject(new Unavailable('the event log cannot be asked now')));
  });
  await Promise.race([work, late]).finally(() => time.cancel(timer));
}
