import type { Erasure } from '#erasures-file';

/** An erasure, and why. */
export interface RegisteredErasure {
  readonly line: Erasure;
  /** The operator's. */
  readonly reason: string;
}

/** An erasure as it stands beside the keys. */
export function parseEntry(text: string): RegisteredErasure {
  return JSON.parse(text) as RegisteredErasure;
}
