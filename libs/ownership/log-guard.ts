import {
  CALL_PATIENCE,
  Unavailable,
  StoreFailed,
  type DecisionGuard,
  type LogConnection,
  type Time,
  type Timer,
  findingOf,
  type Finding,
} from '#eventsourcing';
import { Acceptance } from './acceptance.js';
import type { Accepted } from './accepted.js';
import { NOT_TRUSTED } from './clock/clock-judge.js';
import { Findings } from './findings.js';

/** A right to decide that lapses by itself, for installations where two processes must not decide at the same time. */
export interface HeldLease {
  /** Whether the lease is certainly held, without asking. */
  readonly held: boolean;
  /**
   * Makes sure that the lease is still held.
   * @returns a finding if another process has it
   * @throws Unavailable if nobody can be asked
   */
  hold(): Promise<Finding | undefined>;
}

/** Checks the log, over this connection if it has one. @returns what contradicts that it is ours */
export type Check = (connection: LogConnection | undefined) => Promise<readonly Finding[]>;

/** Says whether the log is ours. The command loop, gateway calls and health ask it. */
export class LogGuard implements DecisionGuard {
  readonly #findings: Findings;
  readonly #acceptance: Acceptance;
  #checking: Promise<void> | undefined;
  #again = false;
  #uncertain = false;
  #whenRefused = (): void => undefined;
  #closed = false;

  /**
   * @param options.check examines identity, owner and mark; rejects with Unavailable while the log cannot be asked
   * @param options.connect as `OwnedLog.connect`: the connection for the next check, which allows it
   * @param options.accepted the codes that the operator accepts
   * @param options.notice called once for each finding that is not accepted
   * @param options.before what operators accepted at earlier starts
   * @param options.remember called with an accepted finding of a stream, because every start finds it again
   * @param options.clock what speaks against this machine’s clock now, or which server’s is wrong
   * @param options.lease set if two processes of one installation must not decide at the same time
   */
  constructor(
    private readonly options: {
      readonly check: Check;
      readonly connect?: () => Promise<LogConnection | undefined>;
      readonly accepted: ReadonlySet<string>;
      readonly notice: (finding: Finding) => void;
      readonly time: Time;
      readonly before?: readonly Accepted[];
      readonly remember?: (accepted: Finding) => void;
      readonly clock?: { readonly finding: Finding | undefined; readonly wrongServer?: string | undefined };
      readonly lease?: HeldLease | undefined;
    },
  ) {
    const { accepted, before = [], remember = () => undefined, notice } = options;
    this.#findings = new Findings(notice);
    this.#acceptance = new Acceptance(accepted, before, remember);
  }

  /** The findings that nobody accepted, as many as are shown, and what speaks against this machine’s clock now. */
  get findings(): readonly Finding[] {
    const { wrongClock } = this;
    const { reported } = this.#findings;
    return wrongClock === undefined || this.#findings.has(wrongClock) ? reported : [...reported, wrongClock];
  }

  /** What speaks against this machine’s clock now: nothing is decided until it is right. */
  get wrongClock(): Finding | undefined {
    return this.options.clock?.finding;
  }

  /** The server whose clock is wrong, while this machine’s is known to be right. */
  get wrongServer(): string | undefined {
    return this.options.clock?.wrongServer;
  }

  /** How many more findings there are. */
  get unreported(): number {
    return this.#findings.unreported;
  }

  /** Whether the whole log is refused: this process decides nothing more. */
  get refused(): boolean {
    return this.#findings.ofWholeLog;
  }

  /** Whether decisions on this stream are forbidden. */
  refuses(stream: string): boolean {
    return this.#findings.affect(stream);
  }

  /** Whether it is uncertain that the log is ours: nothing is written to it meanwhile. */
  get doubtful(): boolean {
    return this.#checking !== undefined || this.refused;
  }

  /** Whether the last check could not ask the log. */
  get uncertain(): boolean {
    return this.#uncertain;
  }

  /** Whether the right to decide has lapsed, because the log has not renewed it: every decision asks for it first. */
  get lapsed(): boolean {
    return this.options.lease?.held === false;
  }

  /** Whether decisions may continue without waiting, on every stream without its own finding. */
  get open(): boolean {
    return this.#checking === undefined && !this.lapsed && !this.refused && this.wrongClock === undefined;
  }

  /**
   * Waits for the check under way.
   * @param within milliseconds
   * @throws Unavailable if the log or this stream has a finding that nobody accepted, or if nobody can be asked
   */
  async passed(stream?: string, within = CALL_PATIENCE): Promise<void> {
    const { time } = this.options;
    const until = time.monotonic() + within;
    // During one check, something else may have become doubtful.
    while (!this.open && !this.refused) {
      const left = until - time.monotonic();
      if (this.wrongClock !== undefined) throw new Unavailable(NOT_TRUSTED, 5);
      if (left < 0) throw new Unavailable('the event log cannot be asked now');
      await inTime(this.#checking ?? this.#hold(), left, time);
    }
    if (stream === undefined ? this.refused : this.refuses(stream))
      throw new Unavailable(
        'the event log needs an operator: see /health/ready',
        10,
        this.refused ? undefined : stream,
      );
  }

  /**
   * The check at the start.
   * @param check in the place of the later ones
   * @throws Unavailable if the log cannot be asked
   */
  begin(check: Check): Promise<void> {
    return this.#examine(check);
  }

  /** Orders a new check before the next decision, because a call or a subscription broke. */
  doubt(): void {
    if (this.#closed) return;
    this.#again = true;
    this.#checking ??= this.#check();
  }

  /** Whether an operator accepted that the stream lacks the events of this gap. */
  lacks(gap: Finding): boolean {
    return this.#acceptance.lacks(gap);
  }

  /**
   * Takes a contradiction: nothing more is decided on what it concerns, unless it is accepted.
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

  /** Takes a contradiction by a view. The log is checked first, because its own answer says more. */
  async refuseAfterCheck(finding: Finding): Promise<void> {
    this.doubt();
    await this.#checking;
    if (!this.refused && !this.#closed) this.refuse(finding);
  }

  /** Calls back when the whole log is refused, or immediately if it is refused already. */
  whenRefused(call: () => void): void {
    this.#whenRefused = call;
    if (this.refused) call();
  }

  /**
   * Takes a finding that a stream, or an answer of the log, has just produced.
   * @throws Unavailable unless there is none or the operator has accepted it
   */
  async heed(finding: Finding | undefined, stream: string): Promise<void> {
    if (finding === undefined) return;
    this.refuse(finding);
    await this.passed(stream);
  }

  /** Stops asking. */
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

  async #examine(check: Check): Promise<void> {
    const connection = await this.options.connect?.();
    for (const finding of await check(connection)) this.refuse(finding);
    if (!this.refused) connection?.allow();
  }

  async #check(): Promise<void> {
    while (this.#again && !this.#closed) {
      this.#again = false;
      try {
        await this.#examine(this.options.check);
        this.#uncertain = false;
      } catch (error) {
        if (this.#over) break;
        if (error instanceof Unavailable || error instanceof StoreFailed) {
          // The log cannot be asked now. Nothing is decided until it can.
          this.#again = true;
          this.#uncertain = true;
          await this.options.time.pause(RETRY_AFTER);
        } else {
          const reason = error instanceof Error ? error.message : String(error);
          this.refuse(findingOf('unreadable', reason, [reason]));
        }
      }
    }
    this.#checking = undefined;
  }
}

/** Milliseconds between two tries to ask the log. */
const RETRY_AFTER = 100;

/** @throws Unavailable after `within` milliseconds */
async function inTime(work: Promise<void>, within: number, time: Time): Promise<void> {
  let timer: Timer | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = time.after(within, () => reject(new Unavailable('the event log cannot be asked now')));
  });
  await Promise.race([work, late]).finally(() => time.cancel(timer));
}
