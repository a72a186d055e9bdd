import { newestOf, type Keys, type RenewedUse } from './keyring.js';

/**
 * The same keys with a newer one that nobody uses yet. A URL key gets the next number, because signatures name theirs for ever. A
 * seal key gets the smallest number that is free: so the number of a row takes as many bytes as before, and a database writes the
 * row in place.
 * @throws Error if a rotation is under way
 */
export function withNewKey(keys: Keys, use: RenewedUse, key: Buffer): Keys {
  if (keys.change !== undefined) throw new Error('a rotation of a key is under way');
  const known = keys[use];
  const to = use === 'url' ? Math.max(...known.keys()) + 1 : firstFree(known);
  const change = { use, from: newestOf(keys, use), to, step: 'known' } as const;
  return { ...keys, [use]: new Map([...known, [to, key]]), change };
}

/** From now on new data is made with the newer key. */
export function withNewKeyUsed(keys: Keys): Keys {
  const { change } = keys;
  return change === undefined ? keys : { ...keys, change: { ...change, step: 'used' } };
}

/** The rotation has ended: of seal keys only the newest stays, and URL keys stay to check old URLs. */
export function withChangeEnded(keys: Keys): Keys {
  const { change, ...stay } = keys;
  if (change?.use !== 'seal') return stay;
  return { ...stay, seal: new Map([...keys.seal].filter(([number]) => number === change.to)) };
}

function firstFree(known: ReadonlyMap<number, Buffer>): number {
  for (let number = 0; ; number += 1) if (!known.has(number)) return number;
}
