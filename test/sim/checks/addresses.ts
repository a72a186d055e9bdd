import type { Recorded } from '#kernel';
import { placeOf, Violation } from './violation.js';

interface Data {
  readonly user_id: string;
  readonly taking: number;
}

/** An e-mail address belongs to one user of a partner, until they have released it (ruling E1). */
export class Addresses {
  readonly #holders = new Map<string, Data>();

  /** @throws Violation */
  check(event: Recorded): void {
    const { stream, type } = event;
    if (!stream.startsWith('email-')) return;
    const { user_id, taking } = event.data as Data;
    const holder = this.#holders.get(stream);
    if (type === 'email-freed.v1') {
      if (holder?.taking === taking) this.#holders.delete(stream);
      return;
    }
    if (holder !== undefined && holder.user_id !== user_id)
      throw new Violation('an address has one user', placeOf(event), `${user_id} takes it from ${holder.user_id}`);
    this.#holders.set(stream, { user_id, taking });
  }
}
