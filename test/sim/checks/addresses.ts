import { idOf, type Recorded } from '#kernel';
import { placeOf, Violation } from './violation.js';

interface Data {
  readonly user_id: string;
  readonly taking: number;
}

/** An e-mail address belongs to one user of a partner, until they have released it (ruling E1). */
export class Addresses {
  readonly #holders = new Map<string, Data>();

  /**
   * Once everything has come to rest: an address is held by the user who has it, and by nobody else; who has left one has
   * released it.
   * @throws Violation
   */
  checkAtRest(events: readonly Recorded[]): void {
    const addresses = new Map<string, string>();
    for (const { type, data } of events)
      if (type === 'user-registered.v1' || type === 'user-email-changed.v1') {
        const { user_id, address } = data as { readonly user_id: string; readonly address: string };
        addresses.set(user_id, address);
      }
    for (const [stream, { user_id }] of this.#holders)
      if (addresses.get(user_id) !== idOf(stream))
        throw new Violation('who leaves an address releases it', stream, `${user_id} has ${addresses.get(user_id)}`);
  }

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
