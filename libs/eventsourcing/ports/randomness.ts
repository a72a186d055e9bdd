/**
 * The source of random numbers. Nothing else in the product makes any (a lint rule enforces that). Constructors receive it,
 * so that a process can be given numbers that repeat.
 */
export interface Randomness {
  /** This many unguessable bytes, good enough for keys and secrets. The caller owns the buffer. */
  bytes(length: number): Buffer;
  /** The same as lower-case hex, two characters for each byte. */
  hex(length: number): string;
  /** A UUID of version 4. */
  uuid(): string;
  /** A number from 0 to below 1 that may be guessable, for shares and for pauses that should differ. */
  fraction(): number;
}

/** Injects it: an interface is gone when the program runs. */
export const Randomness = Symbol('Randomness');
