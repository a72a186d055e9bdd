import type { ExportedEvent } from './exported-event.js';
import type { Faults } from './faults.js';
import { fingerprint } from './tally.js';
import { placeOf } from './faults.js';
import { instant, integer, text } from './values.js';

/** Numbers that are kept for each unit: two halves of two fingerprints. */
const PRINTS = 4;

/**
 * The units of cancelled coupons, which return to the stock later: in 32 bytes for each unit up to the last one whose coupon was
 * cancelled.
 */
export class ReturnsDue {
  #prints = new Uint32Array(0);
  /** Position and time of the cancellation; a position of 0 means that nothing is due. */
  #moments = new Float64Array(0);
  #units = 0;

  constructor(private readonly faults: Faults) {}

  /** A coupon was cancelled, so its unit must return. */
  note(unit: number, cancelled: ExportedEvent): void {
    this.#makeRoom(unit);
    const whose = fingerprint(whoseOf(cancelled));
    const why = fingerprint(whyOf(placeOf(cancelled), cancelled));
    this.#prints.set([whose.high, whose.low, why.high, why.low], PRINTS * unit);
    this.#moments.set([Number(cancelled.position), instant(cancelled.time)], 2 * unit);
  }

  /** A unit returns. */
  take(unit: number, returned: ExportedEvent): void {
    if ((this.#moments[2 * unit] ?? 0) === 0) {
      this.faults.add(returned, 'causes', 'no cancelled coupon of the deal is its cause');
      return;
    }
    this.#moments[2 * unit] = 0;
    if (!this.#is(unit, 0, whoseOf(returned)))
      this.faults.add(
        returned,
        'accounts',
        'its coupon, purchase or user is not that of the cancelled coupon of its unit',
      );
    if (!this.#is(unit, 2, whyOf(returned.cause ?? '', returned)))
      this.faults.add(
        returned,
        'causes',
        'its cause, time, actor or correlation is not that of the cancelled coupon of its unit',
      );
  }

  /** Names what has not returned. */
  end(): void {
    for (let unit = 0; unit < this.#units; unit += 1) {
      const position = this.#moments[2 * unit] ?? 0;
      if (position === 0) continue;
      const time = this.#moments[2 * unit + 1] ?? 0;
      this.faults.missingAt(BigInt(position), `unit ${unit}`, time, 'its coupon is cancelled, and it has not returned');
    }
  }

  #is(unit: number, at: number, expected: string): boolean {
    const { high, low } = fingerprint(expected);
    return this.#prints[PRINTS * unit + at] === high && this.#prints[PRINTS * unit + at + 1] === low;
  }

  #makeRoom(unit: number): void {
    if (unit < this.#units) return;
    this.#units = Math.max(2 * this.#units, unit + 1, 64);
    const prints = new Uint32Array(PRINTS * this.#units);
    prints.set(this.#prints);
    this.#prints = prints;
    const moments = new Float64Array(2 * this.#units);
    moments.set(this.#moments);
    this.#moments = moments;
  }
}

const whoseOf = ({ data: { unit, coupon_id, purchase_id, user_id } }: ExportedEvent): string =>
  [integer(unit), text(coupon_id), text(purchase_id), text(user_id)].join(' ');

const whyOf = (cause: string, { time, actor, correlation }: ExportedEvent): string =>
  [cause, time, actor, correlation].join(' ');
