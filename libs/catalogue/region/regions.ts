import { everything, Remembered, type Engine } from '#eventsourcing';
import type { Region } from './region.events.js';
import { regionsView } from './region.view.js';

const PAGE = 1_000;
/** Regions in each of the two generations of the memory. */
const REMEMBERED = 10_000;

/**
 * Remembers regions, by slug and as a whole list, until one changes. Every deal's answer needs its region's name and time
 * zone, and the look-up of a place needs all regions.
 */
export class Regions {
  readonly #bySlug: Remembered<Region>;
  readonly #all: Remembered<readonly Region[]>;

  constructor(private readonly engine: Pick<Engine, 'views' | 'changes'>) {
    this.#bySlug = new Remembered(engine.changes, regionsView, REMEMBERED);
    this.#all = new Remembered(engine.changes, regionsView, REMEMBERED);
  }

  find(id: string): Promise<Region | undefined> {
    return this.#bySlug.find(id, async () => (await this.engine.views.reader(regionsView).get(id))?.row);
  }

  /** All regions, sorted by slug. */
  async all(): Promise<readonly Region[]> {
    return (await this.#all.find('all', () => this.#read())) ?? [];
  }

  async #read(): Promise<readonly Region[]> {
    const reader = this.engine.views.reader(regionsView);
    const regions: Region[] = [];
    for (let page = 1; ; page += 1) {
      const rows = await reader.find({ where: everything, sort: [], page, perPage: PAGE });
      regions.push(...rows.map(({ row }) => row));
      if (rows.length < PAGE) return regions;
    }
  }
}
