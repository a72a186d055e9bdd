import { hash } from '@node-rs/argon2';
import type { PasswordHashing } from '#eventsourcing';

/** `Algorithm.Argon2id`; the package's constants exist for the compiler alone. */
const ARGON2ID = 2;

/** The argon2id hash of a password as a PHC string, with a salt of its own. It is kept sealed, and shown to nobody. */
export function hashPassword(password: string, parameters: PasswordHashing): Promise<string> {
  const { memory, iterations, parallelism } = parameters;
  return hash(password, { algorithm: ARGON2ID, memoryCost: memory, timeCost: iterations, parallelism });
}
