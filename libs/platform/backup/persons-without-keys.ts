import { join } from 'node:path';
import { EmbeddedLogReader, inspectState } from '#adapters/embedded';
import type { Recorded } from '#kernel';
import { EVENTS_FILE, STATE_FILE } from '../folder/inspected-folder.js';

/** Events that are looked at together. */
const TOGETHER = 1_000;

/** The events that seal the first data of a person, each with the field that names them. */
const SEALS: Readonly<Record<string, { readonly person: string; readonly sealed: string }>> = {
  'user-registered': { person: 'user_id', sealed: 'profile' },
  'email-taken': { person: 'user_id', sealed: 'profile' },
  'purchase-resold': { person: 'purchase_id', sealed: 'buyer' },
};

/**
 * The persons of whom the log of a data folder has sealed data, and its key store never had a key, not even a destroyed one: nobody
 * can open what is sealed. No service may use the folder.
 */
export async function* personsWithoutKeys(dataDir: string, signal: AbortSignal): AsyncGenerator<string, void, void> {
  const log = EmbeddedLogReader.look(join(dataDir, EVENTS_FILE));
  const found = new Set<string>();
  try {
    for await (const { events, caughtUp } of log.subscribe(0n, TOGETHER, signal)) {
      const persons = new Set(events.flatMap(sealedIn));
      const looked = persons.size === 0 ? undefined : inspectState(join(dataDir, STATE_FILE), [...persons]);
      for (const person of looked?.unknown ?? persons) {
        // The log names a user several times.
        if (found.has(person)) continue;
        found.add(person);
        yield person;
      }
      if (caughtUp) return;
    }
  } finally {
    await log.close();
  }
}

function sealedIn({ type, data }: Pick<Recorded, 'type' | 'data'>): readonly string[] {
  const known = SEALS[type.slice(0, type.lastIndexOf('.v'))];
  const fields = data as Readonly<Record<string, unknown>>;
  return known === undefined || typeof fields[known.sealed] !== 'string' ? [] : [String(fields[known.person])];
}
