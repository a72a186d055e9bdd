import type { Accepted } from './accepted.js';
import type { Finding } from './finding.js';

/** What an operator has accepted of the log's streams, now and at earlier starts, and what the streams lack by that. */
export class Acceptance {
  /** Streams of which it was accepted now that something takes events from them. */
  readonly #cut = new Set<string>();
  /** By stream: the revisions of events that are not ours, and accepted. */
  readonly #strangers = new Map<string, Set<number>>();
  /** By stream: what stood below this revision is known to be lost, and accepted. */
  readonly #lostBelow = new Map<string, number>();
  readonly #before: ReadonlySet<string>;

  /**
   * @param now the codes that the operator accepts
   * @param before what was accepted at earlier starts
   * @param remember called with what was found in a stream and is accepted: it is found again at every start
   */
  constructor(
    private readonly now: ReadonlySet<string>,
    before: readonly Accepted[],
    private readonly remember: (accepted: Finding) => void,
  ) {
    this.#before = new Set(before.flatMap(({ code, stream }) => (stream === undefined ? [] : [code])));
    for (const { stream, below } of before) {
      if (stream !== undefined && below !== undefined) this.#lostBelow.set(stream, below);
    }
  }

  /** Whether it is known, and accepted, that the stream lacks what a gap lacks. */
  lacks({ stream = '', from = 0, below }: Finding): boolean {
    if (below === undefined || below <= from) return false;
    if (below <= (this.#lostBelow.get(stream) ?? -1)) return true;
    const strangers = this.#strangers.get(stream);
    if (strangers === undefined || strangers.size < below - from) return false;
    return Array.from({ length: below - from }, (_, index) => from + index).every((each) => strangers.has(each));
  }

  /** The whole log is accepted at a start alone: what a running process remembers of it counts no more. */
  accepts(finding: Finding): boolean {
    const { code, kind, stream, below, at } = finding;
    if (stream === undefined) return false;
    if (this.lacks(finding)) return true;
    // Where it is accepted what takes events away, those that are gone by now are no news.
    const isAcceptedNow = this.now.has(code) || (kind === 'gap' && this.#cut.has(stream));
    if (!isAcceptedNow) return this.#before.has(code);
    if (at !== undefined) this.#strangers.set(stream, (this.#strangers.get(stream) ?? new Set()).add(at));
    else if (below === undefined) this.#cut.add(stream);
    else this.#lostBelow.set(stream, below);
    this.remember(finding);
    return true;
  }
}
