import { hash } from '@node-rs/argon2';
import { BoundedSemaphore, type Randomness } from '#eventsourcing';
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

const hashing = new BoundedSemaphore({ ...HASHING, refusal: 'too many calls set a password at this moment' });
