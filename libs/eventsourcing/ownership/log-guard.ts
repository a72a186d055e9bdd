import { Unavailable } from '../errors.js';
import { StoreFailed } from '../ports/store-failed.js';
import { type Finding, findingOf } from './finding.js';
import type { Accepted } from './ownership.js';

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
  readonly #findings = new Map<string, Finding>();
  /** Streams of which it was accepted now that something takes events from them. */
  readonly #cut = new Set<string>();
  /** By stream: the revisions of events that are not ours, and accepted. */
  readonly #strangers = new Map<string, Set<number>>();
  /** By stream: what stood below this revision is known to be lost, and accepted. */
  readonly #lostBelow = new Map<string, number>();
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
      readonly before?: readonly Accepted[];
      readonly remember?: (accepted: Finding) => void;
      readonly lease?: HeldLease | undefined;
    },
  ) {
    for (const { stream, below } of options.before ?? []) {
      if (stream !== undefined && below !== undefined) this.#lostBelow.set(stream, below);
    }
  }

  /** What was found and is not accepted. */
  get findings(): readonly Finding[] {
    return [...this.#findings.values()];
  }

  /** Whether the whole log is refused: this process decides nothing at all any more. */
  get refused(): boolean {
    return this.findings.some(({ stream }) => stream === undefined);
  }

  /** Whether it is not known for certain that the log is ours: then nothing at all is written to it. */
  get doubtful(): boolean {
    return this.#checking !== undefined || this.refused;
  }

  /** Whether it could not be asked, the last time, whether the log is ours. */
  get uncertain(): boolean {
    return this.#uncertain;
  }

  /** Whether a finding of this code was accepted. */
  accepts(code: string): boolean {
    const before = this.options.before?.some((each) => each.code === code && each.stream !== undefined);
    return this.options.accepted.has(code) || before === true;
  }

  /** Whether decisions may go on, on every stream without a finding of its own, without waiting. */
  get open(): boolean {
    return this.#checking === undefined && this.options.lease?.held !== false && !this.refused;
  }

  /**
   * Waits for a check that is under way.
   * @throws Unavailable when the log, or this stream, has a finding that is not accepted, or nobody can be asked
   */
  async passed(stream?: string): Promise<void> {
    const until = performance.now() + PATIENCE;
    // While one thing was asked, another may have become doubtful.
    while (!this.open && !this.refused) {
      if (performance.now() > until) throw new Unavailable('the event log cannot be asked now');
      if (this.#checking !== undefined) await this.#checked();
      else if (this.options.lease !== undefined) await this.#hold(this.options.lease);
    }
    const finding = this.findings.find((each) => each.stream === undefined || each.stream === stream);
    if (finding !== undefined) throw new Unavailable('the event log needs an operator: see /health/ready', 10);
  }

  /** A call or a subscription broke: the log is checked again before anything more is decided. */
  doubt(): void {
    this.#again = true;
    this.#checking ??= this.#check();
  }

  /** Whether it is known, and accepted, that the stream lacks what a gap lacks. */
  lacks({ stream = '', from = 0, below }: Finding): boolean {
    if (below === undefined || below <= from) return false;
    if (below <= (this.#lostBelow.get(stream) ?? -1)) return true;
    const strangers = this.#strangers.get(stream);
    if (strangers === undefined || strangers.size < below - from) return false;
    return Array.from({ length: below - from }, (_, index) => from + index).every((each) => strangers.has(each));
  }

  /** Something contradicts that the log is ours: nothing more is decided on what it concerns. */
  refuse(finding: Finding): void {
    if (this.#findings.has(finding.code) || this.#isAccepted(finding)) return;
    const known = this.refused;
    this.#findings.set(finding.code, finding);
    this.options.notice(finding);
    if (finding.stream === undefined && !known) this.#whenRefused();
  }

  /** Calls back as soon as the whole log is refused, or at once where it is. */
  whenRefused(call: () => void): void {
    this.#whenRefused = call;
    if (this.refused) call();
  }

  /** The whole log is accepted at a start alone: what a running process remembers of it counts no more. */
  #isAccepted(finding: Finding): boolean {
    const { code, kind, stream, below, at } = finding;
    if (stream === undefined) return false;
    if (this.lacks(finding)) return true;
    // Where it is accepted what takes events away, those that are gone by now are no news.
    const accepted = this.options.accepted.has(code) || (kind === 'gap' && this.#cut.has(stream));
    if (!accepted) return this.accepts(code);
    if (at !== undefined) this.#strangers.set(stream, (this.#strangers.get(stream) ?? new Set()).add(at));
    else if (below === undefined) this.#cut.add(stream);
    else this.#lostBelow.set(stream, below);
    this.options.remember?.(finding);
    return true;
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

  async #checked(): Promise<void> {
    if (this.#checking === undefined) return;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Unavailable('the event log cannot be asked now')), PATIENCE);
    });
    await Promise.race([this.#checking, late]).finally(() => clearTimeout(timer));
  }

  async #hold(lease: HeldLease): Promise<void> {
    const finding = await lease.hold();
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
          await new Promise((resolve) => setTimeout(resolve, RETRY_AFTER));
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
/** Who asks waits at most so long for a log that cannot be asked, in milliseconds. */
const PATIENCE = 5_000;
