import { BoundedMap, ownBytes, type RowVersions, type ViewChanges } from '#eventsourcing';
import type { Instant } from '#kernel';
import type { CacheStats, MadePage } from './page-memory.js';
import type { NoFinders, ShownViews } from './shown-views.js';

/** Bytes that a page costs beside its JSON and the versions of its rows, about. */
const BESIDE = 300;

/** The pages by the positions of their rows: a map finds such a short text sooner than one with the keys too. */
type Memory = BoundedMap<string, MadePage & Pick<RowVersions, 'keys'>>;

/**
 * Remembers whole pages of a list as the bytes that answers show, by the versions of their rows: a page is used again while
 * the view has the same rows in the same versions, at times at which the clock shows the same of them. For pages whose items
 * show nothing but their rows.
 */
export class VersionPages {
  readonly stats: CacheStats = { asked: 0, made: 0 };
  #memory: Memory;

  /**
   * @param shows what their items show
   * @param bytes that the pages in each of the two generations of the memory have together, about
   */
  constructor(
    changes: Pick<ViewChanges, 'whenReplaced'>,
    { rows }: ShownViews<object, NoFinders, NoFinders>,
    private readonly bytes: number,
  ) {
    this.#memory = this.#blank();
    // Another generation may have other rows with the same positions.
    changes.whenReplaced(rows, () => void (this.#memory = this.#blank()));
  }

  /**
   * The page with these rows, at this time.
   * @param make makes it if it is not remembered
   */
  async page({ keys, positions }: RowVersions, now: Instant, make: () => Promise<MadePage>): Promise<Buffer> {
    // A page that is made during a change goes into the old memory, which nobody reads any more.
    const memory = this.#memory;
    this.stats.asked += 1;
    const known = memory.get(positions);
    if (known?.keys === keys && known.from <= now && now < known.until) return known.json;
    this.stats.made += 1;
    const made = await make();
    if (made.from < made.until) memory.set(positions, { ...made, json: ownBytes(made.json), keys });
    return made.json;
  }

  /** Forgets everything: what answers show besides rows has changed. What is being made is not remembered. */
  forget(): void {
    this.#memory = this.#blank();
  }

  #blank(): Memory {
    return new BoundedMap(
      this.bytes,
      ({ json, keys }, positions) => json.length + keys.length + positions.length + BESIDE,
    );
  }
}
