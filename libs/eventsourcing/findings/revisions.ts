import type { Recorded } from '#kernel';
import { BoundedMap } from '../caches/bounded-map.js';
import type { Finding } from '../ports/finding.js';
import { gapFinding } from './stream-findings.js';

/** The least number of streams to remember: those seen last. */
const CACHED = 20_000;

/** Finds gaps in the revisions of streams while the log is read in order. Retention and deletion leave gaps. */
export class Revisions {
  readonly #last = new BoundedMap<string, number>(CACHED);

  /** The finding if an event is not the next one of its stream, where an earlier one was seen. */
  check({ stream, revision }: Pick<Recorded, 'stream' | 'revision'>): Finding | undefined {
    const known = this.#last.get(stream);
    if (known !== undefined && revision <= known) return undefined;
    this.#last.set(stream, revision);
    return known === undefined ? undefined : gapFinding(stream, known + 1, [{ revision }]);
  }
}
