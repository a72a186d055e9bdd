import type { Sealed } from './sealed.js';

/** What an installation seals under its keys: the keys of persons, the secrets of the vault, and answers kept for repeats. */
export const SEALED_KINDS = ['key', 'secret', 'answer'] as const;
export type SealedKind = (typeof SEALED_KINDS)[number];

/** A row with sealed bytes. */
export interface SealedRow {
  readonly kind: SealedKind;
  /** Whose key it is, the secret's id, or the record's name. */
  readonly name: string;
  readonly sealed: Sealed;
}

/** A part of the rows of a kind. */
export interface SealedPart {
  /** How many rows were read, also those that hold nothing sealed. */
  readonly read: number;
  readonly rows: readonly SealedRow[];
  /** Where the next part begins; undefined: there is none. */
  readonly next: string | undefined;
}

/** The same row, sealed again. */
export interface ResealedRow extends SealedRow {
  readonly again: Sealed;
}

/** Everything that is sealed under the keys of an installation, read and sealed again while others change it. */
export interface SealedRows {
  /** @param after where a part ended; undefined: from the beginning */
  part(kind: SealedKind, after: string | undefined): Promise<SealedPart>;
  /**
   * Writes rows that were sealed again, each only if its sealed bytes are still the same: what was replaced or destroyed meanwhile
   * stays so. Durable before it returns.
   */
  reseal(rows: readonly ResealedRow[]): Promise<void>;
}
