import type { Seeded } from '../core/seeded.js';

/** How many of the newest things operations choose from: few, so that they meet. */
const NEWEST = 8;

interface Placed<T> {
  readonly value: T;
  readonly mark: number;
}

/**
 * Things of one kind that operations have made and others use. Each has a name from the operation that made it; a choice depends
 * on the names alone, so it does not shift when something else is missing.
 */
export class Shelf<T> {
  readonly #placed = new Map<string, Placed<T>>();

  /** Puts something here; under the same name it replaces the earlier. */
  put(name: string, value: T): void {
    this.#placed.set(name, { value, mark: markOf(name) });
  }

  remove(name: string): void {
    this.#placed.delete(name);
  }

  get values(): readonly T[] {
    return [...this.#placed.values()].map(({ value }) => value);
  }

  /** One of the newest that fit; undefined if there is none. It draws one number in any case. */
  choose(random: Seeded, fits: (value: T) => boolean = () => true, newest = NEWEST): T | undefined {
    const pick = random.whole(0, 0xffff_ffff);
    let best: Placed<T> | undefined;
    let height = -1;
    for (const placed of [...this.#placed.values()].filter(({ value }) => fits(value)).slice(-newest)) {
      const at = mixed(placed.mark, pick);
      if (at > height) [best, height] = [placed, at];
    }
    return best?.value;
  }
}

function markOf(name: string): number {
  let mark = 2_166_136_261;
  for (let index = 0; index < name.length; index += 1) mark = Math.imul(mark ^ name.charCodeAt(index), 16_777_619);
  return mark >>> 0;
}

function mixed(mark: number, pick: number): number {
  let mix = Math.imul(mark ^ pick, 2_246_822_507);
  mix = Math.imul(mix ^ (mix >>> 13), 3_266_489_909);
  return (mix ^ (mix >>> 16)) >>> 0;
}
