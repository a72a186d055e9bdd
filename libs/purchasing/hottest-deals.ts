/** A deal that sells now. */
export interface HotDeal {
  readonly deal: string;
  /** Units per second, averaged over about ten seconds. */
  readonly soldPerSecond: number;
  /** Units left after the last sale that this process wrote; null for unlimited. */
  readonly left: number | null;
}

/** The deals that are shown. */
export const MOST_HOT = 20;
/** Deals that it keeps at most. */
const MOST_KEPT = 1_000;
/** Of these, the hottest stay each second, so that a deal that begins to sell finds room. */
const MOST_STAY = 500;
/** A second counts for this part of the average. */
const PART = 0.1;
/** Below so many units per second a deal is forgotten. */
const COLD = 0.01;

interface Kept {
  /** Units in the present second. */
  units: number;
  rate: number;
  left: number | null;
}

/** The deals that sell most units at present, in this process. It keeps a bounded number of deals, however many there are. */
export class HottestDeals {
  readonly #kept = new Map<string, Kept>();

  sold(deal: string, units: number, left: number | null): void {
    const kept = this.#kept.get(deal);
    if (kept !== undefined) {
      kept.units += units;
      kept.left = left;
    } else if (this.#kept.size < MOST_KEPT) {
      this.#kept.set(deal, { units, rate: 0, left });
    }
  }

  /** A second has passed: it counts into the averages, and deals that no longer sell are forgotten. */
  tick(): void {
    for (const [deal, kept] of this.#kept) {
      kept.rate += (kept.units - kept.rate) * PART;
      kept.units = 0;
      if (kept.rate < COLD) this.#kept.delete(deal);
    }
    if (this.#kept.size > MOST_STAY) for (const [deal] of this.#sorted().slice(MOST_STAY)) this.#kept.delete(deal);
  }

  /** The hottest first. */
  get now(): readonly HotDeal[] {
    return this.#sorted()
      .slice(0, MOST_HOT)
      .map(([deal, { rate, left }]) => ({ deal, soldPerSecond: Math.round(rate * 100) / 100, left }));
  }

  #sorted(): readonly (readonly [string, Kept])[] {
    return [...this.#kept].sort(([, a], [, b]) => b.rate - a.rate);
  }
}
