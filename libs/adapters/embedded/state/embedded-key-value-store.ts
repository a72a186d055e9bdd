import { KEYS_ENTRY } from '#eventsourcing';
import type { KeyValueStore } from '#eventsourcing/ports';
import type { StateLink } from './state-link.js';

/** The entries of the installation, in state.db. */
export class EmbeddedKeyValueStore implements KeyValueStore {
  constructor(private readonly link: StateLink) {}

  get(name: string): Promise<string | undefined> {
    return this.link.request({ op: 'get-value', name });
  }

  insert(name: string, text: string): Promise<string> {
    return this.link.request({ op: 'insert-value', name, text });
  }

  replace(name: string, expected: string, text: string): Promise<boolean> {
    return this.link.request({ op: 'replace-value', name, expected, text, overwrites: name === KEYS_ENTRY });
  }
}
