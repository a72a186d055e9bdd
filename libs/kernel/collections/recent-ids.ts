import { LookAgain } from '../look-again.js';
import { Counts } from './counts.js';
import { wholeNumber } from './whole-number.js';

/** Ids in one generation. */
const GENERATION = 2_048;

/** What a start says, so that its decider need not keep its id for ever. */
export interface Looked {
  /** The decider's `closings` before the handler looked whether an earlier try had come so far. */
  readonly looked: number;
}

/** What a snapshot keeps of the ids. */
export interface RecentIdsPart {
  readonly young: readonly Float64Array[];
  readonly old: readonly Float64Array[];
  readonly since: number;
  readonly closings: number;
}

/**
 * The ids of the last 2048 to 4096 closings, as 72 bits of their hash. A persistent set in two generations: when the young one is full,
 * it becomes the old one. So which ids it knows depends only on their order.
 */
export class RecentIds {
  static readonly none = new RecentIds(Counts.none, Counts.none, 0, 0);

  private constructor(
    private readonly young: Counts,
    private readonly old: Counts,
    /** It knows every id from this closing on; the first closing is 0. */
    readonly since: number,
    /** Closings so far. */
    readonly closings: number,
  ) {}

  /** The ids that a snapshot has kept. @throws RangeError if they cannot be those of so many closings */
  static from({ young, old, since, closings }: RecentIdsPart): RecentIds {
    wholeNumber('the number of closings', closings);
    wholeNumber('the first closing that is known', since, closings + 1);
    wholeNumber('the number of closings that are known', closings - since, 2 * GENERATION);
    const ids = new RecentIds(Counts.from(young), Counts.from(old), since, closings);
    wholeNumber('the number of ids of closings', ids.young.size + ids.old.size, closings - since + 1);
    return ids;
  }

  /** Bytes in memory, about. */
  get bytes(): number {
    return this.young.bytes + this.old.bytes;
  }

  has(id: string): boolean {
    return this.young.get(id) > 0 || this.old.get(id) > 0;
  }

  /**
   * Whether something with this id has closed, as far as these ids and the handler's look can show. What is open is known elsewhere.
   * @throws LookAgain if neither knows the closings in between
   */
  isRepeat(id: string, { looked }: Looked): boolean {
    if (this.has(id)) return true;
    if (looked < this.since) throw new LookAgain(`nobody knows any more whether ${id} is new`);
    return false;
  }

  /** The ids after one more closing. */
  with(id: string): RecentIds {
    const closings = this.closings + 1;
    const young = this.young.plus(id, 1);
    // The number of closings counts, not of ids: one id may close twice.
    return closings % GENERATION === 0
      ? new RecentIds(Counts.none, young, closings - GENERATION, closings)
      : new RecentIds(young, this.old, this.since, closings);
  }

  /** All of it, for a snapshot. */
  part(): RecentIdsPart {
    const { young, old, since, closings } = this;
    return { young: [...young.parts()], old: [...old.parts()], since, closings };
  }
}
