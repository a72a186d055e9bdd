import type { Facts } from '#eventsourcing/ports';
import type { StateLink } from './state-link.js';

/** The facts of the installation, in state.db. */
export class EmbeddedFacts implements Facts {
  constructor(private readonly link: StateLink) {}

  get(name: string): Promise<string | undefined> {
    return this.link.request({ op: 'get-fact', name });
  }

  insert(name: string, text: string): Promise<string> {
    return this.link.request({ op: 'insert-fact', name, text });
  }

  replace(name: string, expected: string, text: string): Promise<boolean> {
    return this.link.request({ op: 'replace-fact', name, expected, text });
  }
}
