import { allRows, everything, Remembered, RememberedRows, type Engine } from '#eventsourcing';
import type { Region } from './region.events.js';
import { regionsView } from './region.view.js';

/** Regions in each of the two generations of the memory. */
const REMEMBERED = 10_000;

/**
 * Remembers regions, by slug and as a whole list, until one changes. Every deal's answer needs its region's name and time
 * zone, and the look-up of a place needs all regions.
 */
export class Regions {
  readonly #bySlug: RememberedRows<Region>;
  readonly #all: Remembered<readonly Region[]>;

  constructor(private readonly engine: Pick<Engine, 'views' | 'changes'>) {
    this.#bySlug = new RememberedRows(engine, regionsView, REMEMBERED);
    this.#all = new Remembered(engine.changes, regionsView, REMEMBERED);
  }

  find(id: string): Promise<Region | undefined> {
    return this.#bySlug.find(id);
  }

  /** All regions, sorted by slug. */
  async all(): Promise<readonly Region[]> {
    return (await this.#all.find('all', () => allRows(this.engine.views.reader(regionsView), everything))) ?? [];
  }
}
