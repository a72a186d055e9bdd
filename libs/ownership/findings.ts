import { findingOf, type Finding } from '#eventsourcing';

/**
 * How many findings health and callers see. The others are counted, and each is in the process's log. The first finding of
 * each kind about the whole log is always shown.
 */
const MOST_TOLD = 100;
/**
 * How many findings are kept apart. One more, and the whole log is refused, because not every stream with a finding would be
 * known.
 */
const MOST_KNOWN = 10_000;

/** The findings that nobody accepted, and the streams that they close. The number is bounded, whatever a server answers. */
export class Findings {
  readonly #codes = new Set<string>();
  readonly #streams = new Set<string>();
  /** The kinds of findings about the whole log: few. */
  readonly #sorts = new Set<string>();
  readonly #reported: Finding[] = [];

  /** @param notice called once with each new finding */
  constructor(private readonly notice: (finding: Finding) => void) {}

  /** The findings to show, in the order in which they were found. */
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

  /** Whether a finding, of this stream or of the whole log, forbids decisions on this stream. */
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
  'too many',
  `There are more than ${MOST_KNOWN} findings: the whole log is refused. Resolve the reported findings of its streams, and start again.`,
  [],
);
