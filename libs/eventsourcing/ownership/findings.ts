import { type Finding, findingOf } from './finding.js';

/**
 * How many findings are told, to health and to whoever asks; the others are counted, and each stands in the process's log.
 * Of the whole log the first one of each sort is told in any case.
 */
const MOST_TOLD = 100;
/** How many are told from one another. One more, and the whole log is refused: each stream with a finding is known, or all are refused. */
const MOST_KNOWN = 10_000;

/** What was found and not accepted, and which streams it refuses. Bounded, whatever a server answers. */
export class Findings {
  readonly #codes = new Set<string>();
  readonly #streams = new Set<string>();
  /** Sorts of those that are of the whole log: few. */
  readonly #sorts = new Set<string>();
  readonly #reported: Finding[] = [];

  /** @param notice called with each one as it is met first */
  constructor(private readonly notice: (finding: Finding) => void) {}

  /** Those that are told, in the order in which they were met. */
  get reported(): readonly Finding[] {
    return this.#reported;
  }

  /** How many others there are. */
  get unreported(): number {
    return this.#codes.size - this.#reported.length;
  }

  /** Whether the whole log is refused. */
  get ofWholeLog(): boolean {
    return this.#sorts.size > 0;
  }

  /** Whether nothing may be decided on this stream, by a finding of its own or of the whole log. */
  affect(stream: string): boolean {
    return this.ofWholeLog || this.#streams.has(stream);
  }

  has({ code }: Finding): boolean {
    return this.#codes.has(code);
  }

  add(finding: Finding): void {
    if (this.has(finding)) return;
    const { code, kind, stream } = finding;
    const isNewSort = stream === undefined && !this.#sorts.has(kind);
    if (this.#codes.size >= MOST_KNOWN && !isNewSort) {
      if (!this.ofWholeLog) this.add(TOO_MANY);
      return;
    }
    this.#codes.add(code);
    if (stream === undefined) this.#sorts.add(kind);
    else this.#streams.add(stream);
    if (this.#reported.length < MOST_TOLD || isNewSort) this.#reported.push(finding);
    this.notice(finding);
  }
}

const TOO_MANY = findingOf(
  `There are more than ${MOST_KNOWN} findings: the whole log is refused. See to what is told of its streams, and start again.`,
  ['too many'],
);
