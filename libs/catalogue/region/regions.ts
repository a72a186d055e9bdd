import { everything, type Engine } from '#eventsourcing';
import type { Region } from './region.events.js';
import { regionsView } from './region.view.js';

const PAGE = 1_000;

/** What is remembered between two changes. */
interface Memory {
  readonly known: Map<string, Region>;
  all: Promise<readonly Region[]> | undefined;
}

/**
 * Regions by slug and all of them, remembered until one changes: every deal's answer needs its region's name and time zone,
 * and every place is looked for among all regions.
 */
export class Regions {
  #memory: Memory = blank();

  constructor(private readonly engine: Engine) {}

  async find(id: string): Promise<Region | undefined> {
    // What is found while a region changes goes into the memory that is forgotten with the change.
    const { known } = this.#memory;
    const remembered = known.get(id);
    if (remembered !== undefined) return remembered;
    const found = await this.engine.views.reader(regionsView).get(id);
    if (found !== undefined) known.set(id, found.row);
    return found?.row;
  }

  /** All regions, by slug. */
  all(): Promise<readonly Region[]> {
    const memory = this.#memory;
    memory.all ??= this.#read().catch((error: unknown) => {
      memory.all = undefined;
      throw error;
    });
    return memory.all;
  }

  /** A region changed. */
  forget(): void {
    this.#memory = blank();
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

function blank(): Memory {
  return { known: new Map(), all: undefined };
}
