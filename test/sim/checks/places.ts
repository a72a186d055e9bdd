import { idOf, type Recorded } from '#kernel';
import { placeOf, Violation } from './violation.js';

/** The most users whom a partner's mails reach on a day (interface 8). */
const MOST_A_DAY = 10_000;

interface Data {
  readonly card_link_id: string;
  readonly turn: number;
  readonly linked: number;
  readonly batch_id: string;
  readonly user_ids: readonly string[];
  readonly scheduled: number;
  readonly attributes?: { readonly max_linkage?: number | null };
  readonly transaction_reference: string;
  readonly deal_id: string;
}

/** The places of card-linked deals, and of users in a day's mails: none is given twice, and never too many. */
export class Places {
  /** The highest `max_linkage` that each deal ever had: a link may race with a change of the deal. */
  readonly #most = new Map<string, number>();
  /** The places that are taken, by deal. */
  readonly #linked = new Map<string, Set<string>>();
  /** The batch of each user, by partner and day. */
  readonly #days = new Map<string, Map<string, string>>();
  /** The references of each link. */
  readonly #references = new Map<string, Set<string>>();

  /** @throws Violation */
  check(event: Recorded): void {
    const { stream } = event;
    if (stream.startsWith('deal-')) this.#deal(event);
    else if (stream.startsWith('linkage-')) this.#linkage(event);
    else if (stream.startsWith('schedule-')) this.#schedule(event);
    else if (event.type === 'card-link-redeemed.v1') this.#redeemed(event);
  }

  #deal({ stream, data }: Recorded): void {
    const most = (data as Data).attributes?.max_linkage;
    const id = idOf(stream);
    this.#most.set(id, Math.max(this.#most.get(id) ?? 0, most ?? Infinity));
  }

  #linkage(event: Recorded): void {
    const id = idOf(event.stream);
    const { card_link_id, turn, linked } = event.data as Data;
    const places = this.#linked.get(id) ?? new Set();
    this.#linked.set(id, places);
    const place = `${card_link_id}@${turn}`;
    if (event.type === 'user-linked.v1') {
      const twice = [...places].some((each) => each.startsWith(`${card_link_id}@`));
      if (twice) throw new Violation('a link has one place', placeOf(event), card_link_id);
      places.add(place);
    } else if (!places.delete(place)) throw new Violation('only a taken place is freed', placeOf(event), place);
    if (linked !== places.size)
      throw new Violation('the links add up', placeOf(event), `${linked}; expected ${places.size}`);
    const most = this.#most.get(id) ?? 0;
    if (event.type === 'user-linked.v1' && places.size > most)
      throw new Violation('links are within max_linkage', placeOf(event), `${places.size} of at most ${most}`);
  }

  #schedule(event: Recorded): void {
    const { batch_id, user_ids, scheduled } = event.data as Data;
    const users = this.#days.get(event.stream) ?? new Map<string, string>();
    this.#days.set(event.stream, users);
    if (event.type === 'users-scheduled.v1') {
      for (const user of user_ids) {
        const other = users.get(user);
        if (other !== undefined)
          throw new Violation('a user is in one batch of a day', placeOf(event), `${user} is in ${other} too`);
        users.set(user, batch_id);
      }
    } else for (const [user, batch] of users) if (batch === batch_id) users.delete(user);
    if (scheduled !== users.size)
      throw new Violation('the users of a day add up', placeOf(event), `${scheduled}; expected ${users.size}`);
    if (users.size > MOST_A_DAY)
      throw new Violation('a day has at most 10000 users', placeOf(event), String(users.size));
  }

  #redeemed(event: Recorded): void {
    const { transaction_reference: reference } = event.data as Data;
    const references = this.#references.get(event.stream) ?? new Set();
    this.#references.set(event.stream, references);
    if (references.has(reference))
      throw new Violation('a transaction of a link counts once', placeOf(event), reference);
    references.add(reference);
  }
}
