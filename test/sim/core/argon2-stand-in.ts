import { createHash } from 'node:crypto';

/**
 * Stands for `hash` of @node-rs/argon2 in simulated worlds: that one works in a pool of threads, and when a thread ends is not
 * for a seed to say.
 */
export async function hash(
  password: string,
  {
    memoryCost,
    timeCost,
    parallelism,
    salt,
  }: Readonly<Record<'memoryCost' | 'timeCost' | 'parallelism', number>> & { salt: Buffer },
): Promise<string> {
  const digest = createHash('sha256').update(salt).update(password).digest('base64').replace(/=+$/, '');
  const salted = salt.toString('base64').replace(/=+$/, '');
  return Promise.resolve(`$argon2id$v=19$m=${memoryCost},t=${timeCost},p=${parallelism}$${salted}$${digest}`);
}
