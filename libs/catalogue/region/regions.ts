import { everything, ViewCache, RowCache, type Reader, type StoredRow, type ViewChanges } from '#eventsourcing';
import type { Position } from '#kernel';
import type { Region } from './region.events.js';
import { regionsView } from './region.view.js';

/** Regions in each of the two generations of the memory. */
const CACHED = 10_000;

/**
 * Remembers regions, by slug and as a whole list, until one changes. Every deal's answer needs its region's name and time
 * zone, and the look-up of a place needs all regions.
 */
export class Regions {
  readonly view = regionsView;
  readonly #bySlug: RowCache<Region>;
  readonly #all: ViewCache<readonly Region[]>;

  constructor(
    private readonly reader: Reader,
    changes: ViewChanges,
  ) {
    this.#bySlug = new RowCache(reader, changes, regionsView, CACHED);
    this.#all = new ViewCache(changes, regionsView, CACHED);
  }

  /** Waits until the regions are at least as new as a position. @throws Unavailable */
  until(position: Position): Promise<void> {
    return this.reader.until([regionsView], position);
  }

  find(id: string): Promise<Region | undefined> {
    return this.#bySlug.find(id);
  }

  /** A region with the position of its last event. */
  stored(id: string): Promise<StoredRow<Region> | undefined> {
    return this.#bySlug.stored(id);
  }

  /** All regions, sorted by slug. */
  async all(): Promise<readonly Region[]> {
    return (await this.#all.find('all', () => this.reader.all(regionsView, everything))) ?? [];
  }
}
