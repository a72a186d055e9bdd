import { type Engine } from '#eventsourcing';
import type { Region } from './region.events.js';
import { regionsView } from './region.view.js';

/** Regions by slug, remembered until one changes: every deal's answer needs its region's name and time zone. */
export class Regions {
  #known = new Map<string, Region>();

  constructor(private readonly engine: Engine) {}

  async find(id: string): Promise<Region | undefined> {
    // What is found while a region changes goes into the map that is forgotten with the change.
    const remembered = this.#known;
    const known = remembered.get(id);
    if (known !== undefined) return known;
    const found = await this.engine.views.reader(regionsView).get(id);
    if (found !== undefined) remembered.set(id, found.row);
    return found?.row;
  }

  /** A region changed. */
  forget(): void {
    this.#known = new Map();
  }
}
