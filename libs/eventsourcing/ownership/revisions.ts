import type { Recorded } from '#kernel';
import { BoundedMap } from '../bounded-map.js';
import type { Finding } from './finding.js';
import { gapFinding } from './stream-findings.js';

/** So many streams are remembered, at least: those that were met last. */
const REMEMBERED = 20_000;

/** Sees where the revisions of a stream are broken, on the way through the log: retention and deletion leave gaps. */
export class Revisions {
  readonly #last = new BoundedMap<string, number>(REMEMBERED);

  /** What an event, later than those before, says against its stream: where that one was met, it is its next. */
  check({ stream, revision }: Pick<Recorded, 'stream' | 'revision'>): Finding | undefined {
    const known = this.#last.get(stream);
    if (known !== undefined && revision <= known) return undefined;
    this.#last.set(stream, revision);
    return known === undefined ? undefined : gapFinding(stream, known + 1, [{ revision }]);
  }
}
