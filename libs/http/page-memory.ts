import { BoundedMap, type ViewChanges } from '#eventsourcing';
import type { Instant, View } from '#kernel';
import type { Call } from './call.js';
import { CREDENTIAL_PARAMETERS } from './credential-parameters.js';

/** A page as JSON. It is right from one time until before another, as long as no view that it shows changes. */
export interface MadePage {
  readonly json: Buffer;
  readonly from: Instant;
  readonly until: Instant;
}

/** The remembered pages, until all of them are forgotten. */
type Memory = BoundedMap<string, MadePage>;

/** Bytes that a page costs beside its JSON and its name, about. */
const BESIDE = 300;

/**
 * Remembers whole pages of lists as the bytes that answers show, until a row of a view that they show changes, or the clock
 * passes a time that changes one of them: so callers who ask for the same page cost little more than sending it.
 */
export class PageMemory {
  #memory: Memory;

  /**
   * @param views all that the pages show
   * @param bytes that the pages in each of the two generations of the memory have together, about
   */
  constructor(
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
    const known = memory.get(name);
    if (known !== undefined && known.from <= now && now < known.until) return known.json;
    const made = await make();
    if (made.from < made.until) memory.set(name, made);
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
