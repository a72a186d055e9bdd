import type { Position } from '#kernel';
import type { RowVersion } from './row-versions.js';

/** A row as it is stored: its JSON as text. */
export interface RowText extends RowVersion {
  readonly text: string;
}

/** Reads the rows of one finished generation, live or not, to compare it with another one (ruling G6.1). */
export interface GenerationRows {
  /** The rows after a key in the order of their keys’ UTF-8 bytes, at most so many; from the first one on without a key. */
  after(key: string | undefined, most: number): Promise<readonly RowText[]>;
  /** The rows with those keys; missing rows are left out. */
  withKeys(keys: readonly string[]): Promise<readonly RowText[]>;
  /** A read sees every event up to here. */
  position(): Promise<Position>;
  /** About how many rows there are. */
  size(): Promise<number>;
  close(): void;
}
