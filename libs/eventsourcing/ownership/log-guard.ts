import { Unavailable } from '../errors.js';

/**
 * Something that contradicts that the log, or a stream of it, is whole and ours. Nothing is decided on what a finding
 * concerns until an operator accepts it by its code, in the setting ACCEPT.
 */
export interface Finding {
  /** Names this finding and no other one: a setting that is left in place never accepts the next one. */
  readonly code: string;
  /** The stream that it concerns; undefined: the whole log. */
  readonly stream: string | undefined;
  /** For operators: what was found, and what accepting it loses. */
  readonly words: string;
}

/** Where it is decided whether the log is ours: the command loop, gateway calls and health ask it. */
export class LogGuard {
  readonly #findings = new Map<string, Finding>();
  #checking: Promise<void> | undefined;
  #again = false;

  /**
   * @param options.check looks at identity, owner and mark; rejects with Unavailable while the log cannot be asked
   * @param options.accepted the codes that the operator accepts
   * @param options.notice called once for each finding that is not accepted
   */
  constructor(
    private readonly options: {
      readonly check: () => Promise<readonly Finding[]>;
      readonly accepted: ReadonlySet<string>;
      readonly notice: (finding: Finding) => void;
    },
  ) {}

  /** What was found and is not accepted. */
  get findings(): readonly Finding[] {
    return [...this.#findings.values()];
  }

  /** Whether a finding of this code was accepted. */
  accepts(code: string): boolean {
    return this.options.accepted.has(code);
  }

  /** Whether decisions may go on, on every stream without a finding of its own, without waiting. */
  get open(): boolean {
    return this.#checking === undefined && !this.findings.some(({ stream }) => stream === undefined);
  }

  /**
   * Waits for a check that is under way.
   * @throws Unavailable when the log, or this stream, has a finding that is not accepted
   */
  async passed(stream?: string): Promise<void> {
    await this.#checking;
    const finding = this.findings.find((each) => each.stream === undefined || each.stream === stream);
    if (finding !== undefined) throw new Unavailable('the event log needs an operator: see /health/ready', 10);
  }

  /** A call or a subscription broke: the log is checked again before anything more is decided. */
  doubt(): void {
    this.#again = true;
    this.#checking ??= this.#check();
  }

  /** Something contradicts that the log is ours: nothing more is decided on what it concerns. */
  refuse(finding: Finding): void {
    if (this.accepts(finding.code) || this.#findings.has(finding.code)) return;
    this.#findings.set(finding.code, finding);
    this.options.notice(finding);
  }

  async #check(): Promise<void> {
    while (this.#again) {
      this.#again = false;
      try {
        for (const finding of await this.options.check()) this.refuse(finding);
      } catch (error) {
        if (!(error instanceof Unavailable)) throw error;
        // It cannot be asked now: nothing is decided until it can.
        this.#again = true;
        await new Promise((resolve) => setTimeout(resolve, RETRY_AFTER));
      }
    }
    this.#checking = undefined;
  }
}

/** Milliseconds until a log that could not be asked is asked again. */
const RETRY_AFTER = 100;
