import { BoundedMap, ownBytes, type Time, type ViewChanges } from '#eventsourcing';
import type { Instant, View } from '#kernel';
import type { Call } from './call.js';
import { CREDENTIAL_PARAMETERS } from './credential-parameters.js';

/** How often a memory was asked, and how often what was asked for had to be made. */
export interface CacheStats {
  asked: number;
  made: number;
}

/** A page as JSON. It is right from one time until before another, as long as no view that it shows changes. */
export interface MadePage {
  readonly json: Buffer;
  readonly from: Instant;
  readonly until: Instant;
}

/** The remembered pages, each with the time at which it was begun, until all of them are forgotten. */
type Memory = BoundedMap<string, MadePage & { readonly begun: number }>;

/**
 * How long a page is used at most, in milliseconds. A process that learns late that a view has changed, because it stood still
 * or its servers are away, shows no older page.
 */
const OLDEST = 1_000;
/** Bytes that a page costs beside its JSON and its name, about. */
const BESIDE = 300;

/**
 * Remembers whole pages of lists as the bytes that answers show, for a second at most, until a row of a view that they show
 * changes, or the clock passes a time that changes one of them: so callers who ask for the same page cost little more than sending it.
 */
export class PageMemory {
  readonly stats: CacheStats = { asked: 0, made: 0 };
  #memory: Memory;

  /**
   * @param views all that the pages show
   * @param bytes that the pages in each of the two generations of the memory have together, about
   */
  constructor(
    private readonly time: Pick<Time, 'monotonic'>,
    changes: Pick<ViewChanges, 'subscribe' | 'whenReplaced'>,
    views: readonly Pick<View, 'name'>[],
    private readonly bytes: number,
  ) {
    this.#memory = this.#blank();
    const forget = (): void => void (this.#memory = this.#blank());
    for (const view of views) {
      changes.subscribe(view, forget);
      changes.whenReplaced(view, forget);
    }
  }

  /**
   * The page with this name, at this time.
   * @param name names everything that the page follows from, except views and clock
   * @param make makes it if it is not remembered
   */
  async page(name: string, now: Instant, make: () => Promise<MadePage>): Promise<Buffer> {
    // A page that is made during a change goes into the old memory, which nobody reads any more.
    const memory = this.#memory;
    this.stats.asked += 1;
    const known = memory.get(name);
    const begun = this.time.monotonic();
    if (known !== undefined && begun - known.begun <= OLDEST && known.from <= now && now < known.until)
      return known.json;
    this.stats.made += 1;
    const made = await make();
    if (made.from < made.until) memory.set(name, { ...made, json: ownBytes(made.json), begun });
    return made.json;
  }

  #blank(): Memory {
    return new BoundedMap(this.bytes, ({ json }, name) => json.length + name.length + BESIDE);
  }
}

/** Names what a list follows from, except its caller: its path and parameters, without credentials. */
export function nameOfList({ path, parameters }: Pick<Call, 'path' | 'parameters'>): string {
  return `${path} ${JSON.stringify(parameters, (name, value: unknown) => (CREDENTIAL_PARAMETERS.has(name) ? undefined : value))}`;
}
