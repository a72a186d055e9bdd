import { isAcceptable, type Finding } from '#eventsourcing';
import type { Accepted } from './accepted.js';

/** What operators have accepted about the log's streams, now and at earlier starts, and what the streams therefore lack. */
export class Acceptance {
  /** Streams for which an operator accepted now that a setting removes events. */
  readonly #cut = new Set<string>();
  /** By stream: the revisions of accepted events that are not ours. */
  readonly #strangers = new Map<string, Set<number>>();
  /** By stream: the events below this revision are lost, and an operator accepted that. */
  readonly #lostBelow = new Map<string, number>();
  readonly #before: ReadonlySet<string>;

  /**
   * @param now the codes that the operator accepts
   * @param before what operators accepted at earlier starts
   * @param remember called with an accepted finding of a stream, because every start finds it again
   */
  constructor(
    private readonly now: ReadonlySet<string>,
    before: readonly Accepted[],
    private readonly remember: (accepted: Finding) => void,
  ) {
    this.#before = new Set(before.flatMap(({ code, stream }) => (stream === undefined ? [] : [code])));
    for (const { stream, below, at } of before) {
      if (stream !== undefined && below !== undefined) this.#lostBelow.set(stream, below);
      if (stream !== undefined && at !== undefined) this.#isTheirs(stream, at);
    }
  }

  /** Whether an operator accepted that the stream lacks the events of this gap. */
  lacks({ stream = '', from = 0, below }: Finding): boolean {
    if (below === undefined || below <= from) return false;
    if (below <= (this.#lostBelow.get(stream) ?? -1)) return true;
    const strangers = this.#strangers.get(stream);
    if (strangers === undefined || strangers.size < below - from) return false;
    return Array.from({ length: below - from }, (_, index) => from + index).every((each) => strangers.has(each));
  }

  /**
   * Whether a finding is accepted. A finding of the whole log can be accepted only at a start: the state of a running
   * process no longer counts.
   */
  accepts(finding: Finding): boolean {
    const { code, kind, stream, below, at } = finding;
    if (stream === undefined || !isAcceptable(kind)) return false;
    if (this.lacks(finding)) return true;
    // If an operator accepted the setting that removes events, the gap that it leaves is accepted too.
    const isAcceptedNow = this.now.has(code) || (kind === 'gap' && this.#cut.has(stream));
    if (!isAcceptedNow) return this.#before.has(code);
    if (at !== undefined) this.#isTheirs(stream, at);
    else if (below === undefined) this.#cut.add(stream);
    else this.#lostBelow.set(stream, below);
    this.remember(finding);
    return true;
  }

  #isTheirs(stream: string, revision: number): void {
    this.#strangers.set(stream, (this.#strangers.get(stream) ?? new Set()).add(revision));
  }
}
