import type { Position } from '#kernel';

/** Which row, and which state of it: the position is that of the last event that changed the row. */
export interface RowVersion {
  readonly key: string;
  readonly position: Position;
}

/**
 * The versions of a page's rows, in the order of the page. They are kept as texts, because a store finds those sooner than
 * objects: most callers only want to know whether a page is still the same. Two pages have the same texts exactly if they have
 * the same rows, in the same versions and order.
 */
export class RowVersions {
  #rows: readonly RowVersion[] | undefined;

  private constructor(
    /** The keys of the rows, as a JSON array. */
    readonly keys: string,
    /** The positions of the rows, separated by commas: seldom the same for another page. */
    readonly positions: string,
  ) {}

  static fromTexts(keys: string, positions: string): RowVersions {
    return new RowVersions(keys, positions);
  }

  static of(rows: readonly RowVersion[]): RowVersions {
    return new RowVersions(JSON.stringify(rows.map(({ key }) => key)), rows.map(({ position }) => position).join());
  }

  get rows(): readonly RowVersion[] {
    this.#rows ??= rowsIn(this.keys, this.positions);
    return this.#rows;
  }

  /** The latest of the rows' positions; 0n if there is no row. */
  get newest(): Position {
    // Compared as texts: that costs less than a number of each.
    let newest = '0';
    for (const each of this.positions.split(',')) {
      if (each.length > newest.length || (each.length === newest.length && each > newest)) newest = each;
    }
    return BigInt(newest);
  }
}

function rowsIn(keys: string, positions: string): readonly RowVersion[] {
  const each = positions.split(',');
  return (JSON.parse(keys) as readonly string[]).map((key, nth) => ({ key, position: BigInt(each[nth] ?? '') }));
}
