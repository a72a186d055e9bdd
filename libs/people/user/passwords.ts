import { hash } from '@node-rs/argon2';
import { Unavailable, type Randomness } from '#eventsourcing';
import { HASHING } from '#kernel/bounds';
import type { PasswordHashing } from '../settings.js';

/** Bytes of a salt, as RFC 9106 recommends. */
const SALT = 16;

/**
 * Hashes a password with argon2id (the package's default) and a fresh salt; the result is a PHC string. Callers seal it and
 * show it to nobody. Few hashes are computed at once, because each takes memory and a core.
 * @throws Unavailable when too many callers wait
 */
export function hashPassword(
  password: string,
  parameters: PasswordHashing,
  randomness: Pick<Randomness, 'bytes'>,
): Promise<string> {
  const { memory, iterations, parallelism } = parameters;
  const salt = randomness.bytes(SALT);
  return hashing.run(() => hash(password, { memoryCost: memory, timeCost: iterations, parallelism, salt }));
}

/** Runs at most `atOnce` pieces of work at the same time; at most `waiting` more wait, first come, first served. */
export class BoundedSemaphore {
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(private readonly bounds: { readonly atOnce: number; readonly waiting: number }) {}

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running >= this.bounds.atOnce) {
      if (this.#waiting.length >= this.bounds.waiting)
        throw new Unavailable('too many calls set a password at this moment', 1);
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    } else {
      this.#running += 1;
    }
    try {
      return await work();
    } finally {
      // The next in line takes over the place.
      const next = this.#waiting.shift();
      if (next === undefined) this.#running -= 1;
      else next();
    }
  }
}

const hashing = new BoundedSemaphore(HASHING);
