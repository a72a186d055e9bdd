import type { Position } from '#kernel';

/** Which row, and which state of it: the position is that of the last event that changed the row. */
export interface RowVersion {
  readonly key: string;
  readonly position: Position;
}

/**
 * The versions of a page's rows, in the order of the page. They are kept as one text, because a store finds that sooner than
 * objects: most callers only want to know whether a page is still the same.
 */
export class RowVersions {
  #rows: readonly RowVersion[] | undefined;

  private constructor(
    private readonly keys: string,
    private readonly positions: string,
  ) {}

  /**
   * @param keys as a JSON array
   * @param positions separated by commas
   */
  static fromTexts(keys: string, positions: string): RowVersions {
    return new RowVersions(keys, positions);
  }

  static of(rows: readonly RowVersion[]): RowVersions {
    return new RowVersions(JSON.stringify(rows.map(({ key }) => key)), rows.map(({ position }) => position).join());
  }

  /** Two pages have the same text exactly if they have the same rows, in the same versions and order. */
  get text(): string {
    return `${this.positions} ${this.keys}`;
  }

  get rows(): readonly RowVersion[] {
    this.#rows ??= rowsIn(this.keys, this.positions);
    return this.#rows;
  }
}

function rowsIn(keys: string, positions: string): readonly RowVersion[] {
  const each = positions.split(',');
  return (JSON.parse(keys) as readonly string[]).map((key, nth) => ({ key, position: BigInt(each[nth] ?? '') }));
}
