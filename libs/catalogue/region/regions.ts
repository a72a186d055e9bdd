import { everything, Remembered, type Engine } from '#eventsourcing';
import type { Region } from './region.events.js';
import { regionsView } from './region.view.js';

const PAGE = 1_000;
/** Regions that are remembered, in each of the map's two generations. */
const REMEMBERED = 10_000;

/**
 * Regions by slug and all of them, remembered until one changes: every deal's answer needs its region's name and time zone,
 * and every place is looked for among all regions.
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

  /** All regions, by slug. */
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
