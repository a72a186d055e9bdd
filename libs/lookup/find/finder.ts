import {
  eq,
  everything,
  oneOf,
  type Clock,
  type Keyring,
  type PersonalData,
  type Reader,
  type Writer,
} from '#eventsourcing';
import { type PublicUrl, ValidationFailed } from '#http';
import { categoryOf, causationOf, idOf, type EventPlace, type Recorded } from '#kernel';
import { MOST_EXAMINED } from '#kernel/bounds';
import { addressOf } from '#people';
import { usersView } from '#people/model';
import { partnersView } from '#partners/model';
import { namedBy } from '#purchasing';
import { MADE_ID } from '../list/filters.js';
import type { LookUpList, Presenting } from '../list/list.js';
import { LISTS } from '../lists/index.js';
import { COUPONS } from '../lists/coupons.list.js';
import { USERS } from '../lists/people.lists.js';
import { heldOf } from './held.js';

/** Something that a search has found. */
export interface FoundThing {
  readonly kind: string;
  readonly id: string;
  /** What of it was sent. */
  readonly matched: string;
  /** The call that shows it. */
  readonly path: string | null;
  readonly item: object;
}

/** Finds whatever an operator or auditor holds in their hand. */
export class Finder {
  constructor(
    private readonly parts: {
      readonly reader: Reader;
      readonly writer: Writer;
      readonly keyring: Keyring;
      readonly personalData: PersonalData;
      readonly clock: Pick<Clock, 'now'>;
      readonly publicUrl: PublicUrl;
      readonly categories: readonly string[];
    },
  ) {}

  /**
   * What a text names, best first.
   * @param most results of each kind
   * @param seen is told of users whose e-mail address was sent, before they are shown
   */
  async find(text: string, most: number, seen: (userId: string) => Promise<void>): Promise<readonly FoundThing[]> {
    const { texts, email, event, address } = heldOf(text);
    const found = await Promise.all([
      email === undefined ? [] : this.#usersWith(email, seen),
      event === undefined ? [] : this.#event(event),
      address === undefined ? [] : this.#atAddress(address),
      ...texts.flatMap((each) => [this.named(each), this.#holding(each, most)]),
    ]);
    return found.flat();
  }

  /** The coupon whose QR code has this address. */
  async #atAddress(address: string): Promise<readonly FoundThing[]> {
    try {
      return await this.#byId(namedBy(address, this.parts.publicUrl.href), [COUPONS]);
    } catch (error) {
      // It is the address of something else: perhaps a reference.
      if (error instanceof ValidationFailed) return [];
      throw error;
    }
  }

  /** What has an id or slug, and the streams with a name or id. */
  async named(text: string): Promise<readonly FoundThing[]> {
    return (await Promise.all([this.#byId(text), this.#partners(text), this.#streams(text)])).flat();
  }

  /** What lists have under this id, in any case. */
  async #byId(id: string, lists: readonly LookUpList[] = LISTS): Promise<readonly FoundThing[]> {
    const found = await Promise.all(
      lists.map(async (list) => {
        // A hold is a purchase, too: it is listed once.
        if (list.only !== undefined) return [];
        const reader = this.parts.reader.of(list.view);
        const stored = (await reader.get(id)) ?? (await reader.get(id.toLowerCase()));
        return stored === undefined ? [] : [await this.#shown(list, 'id', stored.row)];
      }),
    );
    return found.flat();
  }

  /** What has a code, reference or other text that people hold. */
  async #holding(text: string, most: number): Promise<readonly FoundThing[]> {
    const { reader } = this.parts;
    const looks = LISTS.flatMap((list) =>
      Object.entries(list.filters)
        .filter(([, { held }]) => held?.test(text) === true)
        .map(async ([name, { field }]) => {
          if (field === undefined) throw new Error(`${list.name}: ${name} has no field to find it by`);
          const where = eq(field, text);
          const sort = [{ field: list.sort.field, descending: list.sort.descending }];
          const rows = await reader.of(list.view).find({ where, sort, page: 1, perPage: most, examine: MOST_EXAMINED });
          return Promise.all(rows.map(({ row }) => this.#shown(list, name, row)));
        }),
    );
    return (await Promise.all(looks)).flat();
  }

  /** The users with an e-mail address, one of each partner at most. */
  async #usersWith(email: string, seen: (userId: string) => Promise<void>): Promise<readonly FoundThing[]> {
    const { reader, keyring } = this.parts;
    const partners = await reader.all(partnersView, everything);
    const addresses = partners.map(({ id }) => addressOf(keyring, id, email));
    const users = await reader.all(usersView, oneOf('address', addresses));
    const found: FoundThing[] = [];
    for (const user of users) {
      await seen(user.user_id);
      found.push(await this.#shown(USERS, 'email', user));
    }
    return found;
  }

  async #partners(text: string): Promise<readonly FoundThing[]> {
    const partners = await this.parts.reader.all(partnersView, everything);
    return partners.flatMap(({ id, name, slug, suspended, keys }) => {
      const has = {
        id: id === text,
        slug: slug === text.toLowerCase(),
        name: name.toLowerCase() === text.toLowerCase(),
        key: keys.some(({ key_id }) => key_id === text),
      };
      const [matched] = Object.entries(has).find(([, is]) => is) ?? [];
      if (matched === undefined) return [];
      return [{ kind: 'partner', id, matched, path: '/operators/partners', item: { id, name, slug, suspended } }];
    });
  }

  /** The stream with this name, and those whose id it is. */
  async #streams(text: string): Promise<readonly FoundThing[]> {
    const { categories } = this.parts;
    const isName = categories.includes(categoryOf(text)) && idOf(text) !== '';
    const names = isName ? [text] : MADE_ID.test(text) ? categories.map((category) => `${category}-${text}`) : [];
    const found = await Promise.all(
      names.map(async (stream) => {
        const [first] = await this.parts.writer.events(stream, { from: 0, most: 1 });
        return first === undefined ? [] : [this.#stream(stream, isName ? 'name' : 'id', first)];
      }),
    );
    return found.flat();
  }

  #stream(stream: string, matched: string, first: Recorded): FoundThing {
    const item = { stream, category: categoryOf(stream), first: first.type };
    return { kind: 'stream', id: stream, matched, path: `/auditors/streams/${encodeURIComponent(stream)}`, item };
  }

  async #event(place: EventPlace): Promise<readonly FoundThing[]> {
    const event = await this.parts.writer.event(place.stream, place.revision);
    if (event === undefined) return [];
    const { stream, revision, type, position, metadata } = event;
    const path = `/auditors/streams/${encodeURIComponent(stream)}?from=${revision}&limit=1`;
    const item = { stream, revision, type, position: position.toString(), actor: metadata.actor };
    return [{ kind: 'event', id: causationOf(place), matched: 'id', path, item }];
  }

  async #shown(list: LookUpList, matched: string, row: object): Promise<FoundThing> {
    const { keyring, personalData, clock } = this.parts;
    const presenting: Presenting = { keyring, personalData, now: clock.now() };
    const item = await list.present(row, presenting);
    return { kind: list.kind, id: String(item['id']), matched, path: list.page?.(item) ?? null, item };
  }
}
