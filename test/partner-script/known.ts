import { type World } from './world.js';

/** A step needs a value that no earlier step has brought. */
export class NotKnown extends Error {
  constructor(readonly value: string) {
    super(`no earlier answer brought ${value}`);
  }
}

/** What the partner knows: the world, the time, and the values that they kept from earlier answers. */
export class Known {
  readonly #kept = new Map<string, unknown>();

  constructor(
    readonly world: World,
    /** The service's time at the start of the step. */
    readonly now: { date: Date },
  ) {}

  keep(name: string, value: unknown): void {
    this.#kept.set(name, value);
  }

  /** @throws NotKnown */
  text(name: string): string {
    const value = this.#kept.get(name);
    if (typeof value === 'string' && value !== '') return value;
    throw new NotKnown(name);
  }

  /** @throws NotKnown */
  integer(name: string): number {
    const value = this.#kept.get(name);
    if (typeof value === 'number') return value;
    throw new NotKnown(name);
  }

  /** A time of tomorrow, at this hour (UTC), as 4.14 takes it. */
  tomorrowAt(hour: number): string {
    return this.daysAhead(1, hour);
  }

  /** A time so many days ahead, at this hour (UTC). */
  daysAhead(days: number, hour: number): string {
    const { date } = this.now;
    const midnight = Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate() + days);
    return new Date(midnight + hour * 3_600_000).toISOString();
  }
}
