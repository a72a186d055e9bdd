import { hash } from '@node-rs/argon2';
import type { PasswordHashing } from '#eventsourcing';

/** The argon2id hash (the package's own choice) of a password as a PHC string, with a salt of its own. It is kept sealed, and shown to nobody. */
export function hashPassword(password: string, parameters: PasswordHashing): Promise<string> {
  const { memory, iterations, parallelism } = parameters;
  return hash(password, { memoryCost: memory, timeCost: iterations, parallelism });
}
