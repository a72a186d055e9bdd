import type { KeyStore, Vault } from '#eventsourcing';
import type { LogGuard } from '#ownership';

/**
 * Makes and destroys persons' keys only while decisions on the log are allowed: otherwise the log may be another installation's
 * or an older copy. Keys can always be read.
 */
export function guardedKeys(keys: KeyStore, guard: Pick<LogGuard, 'passed'>): KeyStore {
  return {
    async obtain(person) {
      await guard.passed();
      return keys.obtain(person);
    },
    get: (person) => keys.get(person),
    knows: (person) => keys.knows(person),
    persons: (size) => keys.persons(size),
    async destroy(person) {
      await guard.passed();
      await keys.destroy(person);
    },
    close: () => keys.close(),
  };
}

/** Stores and destroys secrets only while decisions on the log are allowed. */
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
