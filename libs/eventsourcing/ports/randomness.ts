/**
 * Where a process has random numbers from. Nothing else in the product makes any (a lint rule holds it to that): it is passed
 * in, so that a process can be given numbers that come again.
 */
export interface Randomness {
  /** So many bytes that nobody can guess: they are good for keys and secrets. The buffer is the caller's. */
  bytes(length: number): Buffer;
  /** The same as lower-case hex: two characters for each byte. */
  hex(length: number): string;
  /** A UUID of version 4. */
  uuid(): string;
  /** A number from 0 to below 1 that need not be unguessable: for shares, and pauses that should differ. */
  fraction(): number;
}
