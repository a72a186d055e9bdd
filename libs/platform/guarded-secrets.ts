import type { KeyStore, LogGuard, Vault } from '#eventsourcing';

/**
 * Persons' keys that are made and destroyed only while the log may be decided on: what is there may be another
 * installation's, or an older copy. They can be read all the time.
 */
export function guardedKeys(keys: KeyStore, guard: Pick<LogGuard, 'passed'>): KeyStore {
  return {
    async obtain(person) {
      await guard.passed();
      return keys.obtain(person);
    },
    get: (person) => keys.get(person),
    knows: (person) => keys.knows(person),
    async destroy(person) {
      await guard.passed();
      await keys.destroy(person);
    },
    close: () => keys.close(),
  };
}

/** Secrets, in the same way. */
export function guardedVault(vault: Vault, guard: Pick<LogGuard, 'passed'>): Vault {
  return {
    async put(id, secret) {
      await guard.passed();
      await vault.put(id, secret);
    },
    get: (id) => vault.get(id),
    async destroy(id) {
      await guard.passed();
      await vault.destroy(id);
    },
    fingerprint: (text) => vault.fingerprint(text),
    close: () => vault.close(),
  };
}
