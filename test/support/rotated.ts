import { randomBytes } from 'node:crypto';
import { thisMachine } from '#adapters/machine';
import { unwrapKeys, wrapKeys } from '#eventsourcing';

/** The entry of an installation's keys, with a second key for sealing and for URLs, as a rotation will leave it. */
export function withNumberOne(text: string, master: Buffer): string {
  const one = new Map([[1, randomBytes(32)]]);
  const more = JSON.parse(
    wrapKeys({ hash: randomBytes(32), seal: one, url: one }, master, thisMachine.randomness),
  ) as Stored;
  const stored = JSON.parse(text) as Stored;
  const rotated = JSON.stringify({
    ...stored,
    keys: [...stored.keys, ...more.keys.filter(({ use }) => use !== 'hash')],
  });
  unwrapKeys(rotated, master, 'the rotated keys', thisMachine.randomness);
  return rotated;
}

interface Stored {
  readonly keys: readonly { readonly use: string }[];
}
