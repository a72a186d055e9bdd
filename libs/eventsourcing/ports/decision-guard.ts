import type { Finding } from './finding.js';

/** Says whether decisions on the log are allowed. Who decides asks it first, and tells it what contradicts that the log is ours. */
export interface DecisionGuard {
  /** Whether decisions may continue without waiting, on every stream without its own finding. */
  readonly open: boolean;

  /** Whether decisions on this stream are forbidden. */
  refuses(stream: string): boolean;

  /**
   * Waits for a check under way.
   * @throws Unavailable if the log or this stream has a finding that nobody accepted, or if nobody can be asked
   */
  passed(stream?: string): Promise<void>;

  /**
   * Takes a finding that a stream, or an answer of the log, has just produced.
   * @throws Unavailable unless there is none or the operator has accepted it
   */
  heed(finding: Finding | undefined, stream: string): Promise<void>;

  /** Takes a finding of what was built from the log. The log is checked first, because its own answer says more. */
  refuseAfterCheck(finding: Finding): Promise<void>;

  /** Whether an operator accepted that the stream lacks the events of this gap. */
  lacks(gap: Finding): boolean;
}
