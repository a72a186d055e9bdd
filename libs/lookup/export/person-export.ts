import type { z } from 'zod';
import {
  type Clock,
  eq,
  NEWEST_FIRST,
  type Keyring,
  type PageEnd,
  type PersonalData,
  type Reader,
  search,
  Slices,
  type Time,
  type Writer,
} from '#eventsourcing';
import { wantsBatchMails } from '#engagement';
import {
  type CardLinkEvent,
  cardLinksView,
  subscriptionsView,
  type SubscriptionDetails,
  type SubscriptionRow,
} from '#engagement/model';
import { isoTime, notFound, streamName, type Recorded, type View } from '#kernel';
import { batchesView, batchMailsView, type BatchMailRow, type SubscriptionMailEvent } from '#mailing/model';
import { openProfile, type Profile } from '#people';
import { addressesView, user, type AddressRow, type UserEvent } from '#people/model';
import { presentMail } from '../batch/mails-of-batch.js';
import { Listing } from '../list/listing.js';
import type { LookUpList } from '../list/list.js';
import { COUPONS } from '../lists/coupons.list.js';
import { CARD_LINKS, SAVED_DEALS, SUBSCRIPTIONS } from '../lists/engagement.lists.js';
import { ACCESS_TOKENS, CARDS } from '../lists/people.lists.js';
import { PURCHASES } from '../lists/purchases.list.js';
import type { PERSON_SHOWN } from '../person/person.answer.js';
import type { PersonReadsEvent } from '../person/person-reads.events.js';
import { presentAnyAddress, presentPerson } from '../person/person.present.js';
import type { PartName } from './export.answer.js';
import { mailToSubscriber } from './mails-to-subscriber.js';

/** Events or rows that are read together. */
const TOGETHER = 100;

/** Entries of a part that were read together. */
type Entries = AsyncGenerator<readonly object[]>;

/** What stands before the parts of an export. */
export interface ExportHead {
  readonly exported_at: string;
  readonly partner_id: string;
  readonly user: z.infer<typeof PERSON_SHOWN>;
}

/** Reads a part of an export. */
export type PartReader = (name: PartName) => AsyncIterable<readonly object[]>;

/** How a view has the rows of a user. */
interface RowsOfUser<Row extends object, F extends string> {
  readonly view: View<Row, F | 'user_id'>;
  /** The time that sorts them. */
  readonly by: F;
  readonly at: (row: Row) => number;
  readonly present: (row: Row) => object | Promise<object>;
}

/** Reads everything that is held about a user, part by part, so that no part must fit in memory. */
export class PersonExport {
  readonly #listing: Listing;

  constructor(
    private readonly parts: {
      readonly reader: Reader;
      readonly writer: Writer;
      readonly keyring: Keyring;
      readonly personalData: PersonalData;
      readonly clock: Clock;
      readonly time: Time;
    },
  ) {
    this.#listing = new Listing(parts);
  }

  /**
   * What stands before the parts.
   * @throws DomainError not_found, also for an erased user
   */
  async head(userId: string): Promise<ExportHead> {
    const { writer, personalData, clock } = this.parts;
    const row = await writer.readNow(user, userId);
    if (row === null || row.erased !== null) throw notFound('no user has this id');
    const profile = await openProfile(personalData, row);
    const shown = presentPerson(row, profile, await wantsBatchMails(writer, userId));
    return { exported_at: isoTime(clock.now()), partner_id: row.partner_id, user: shown };
  }

  /** The entries of a part. @param left ends it early */
  entries(name: PartName, userId: string, left: AbortSignal): Entries {
    const { personalData } = this.parts;
    const listed = (list: LookUpList): Entries => this.#listed(list, userId, left);
    switch (name) {
      case 'profiles':
        return this.#profiles(userId, left);
      case 'shipping_addresses': {
        const present = (row: AddressRow): Promise<object> => presentAnyAddress(personalData, row);
        return this.#rows(
          { view: addressesView, by: 'created_at', at: (row) => row.created_at, present },
          userId,
          left,
        );
      }
      case 'credit_cards':
        return listed(CARDS);
      case 'purchases':
        return listed(PURCHASES);
      case 'coupons':
        return listed(COUPONS);
      case 'card_links':
        return listed(CARD_LINKS);
      case 'card_link_transactions':
        return this.#transactions(userId, left);
      case 'planned_mails':
        return this.#planned(userId, left);
      case 'saved_deals':
        return listed(SAVED_DEALS);
      case 'access_tokens':
        return listed(ACCESS_TOKENS);
      case 'subscriptions':
        return this.#subscriptions(userId, left);
      case 'batch_mails': {
        const present = (row: BatchMailRow): object => {
          const { user_id: _, ...mail } = presentMail(row);
          return { batch_id: row.batch_id, ...mail };
        };
        return this.#rows({ view: batchMailsView, by: 'at', at: (row) => row.at, present }, userId, left);
      }
      case 'subscription_mails':
        return this.#subscriptionMails(userId, left);
      case 'reads':
        return this.#reads(userId, left);
    }
  }

  async *#listed(list: LookUpList, userId: string, left: AbortSignal): Entries {
    const asked = { user_id: userId } as never;
    await this.#listing.begin(list, asked);
    for await (const { items } of this.#listing.pages(list, asked, left)) yield items;
  }

  /** Rows of a view, the newest first, each as it is shown. */
  async *#rows<Row extends object, F extends string>(
    { view, by, at, present }: RowsOfUser<Row, F>,
    userId: string,
    left: AbortSignal,
  ): Entries {
    const { reader, time } = this.parts;
    await reader.until([view], await reader.end());
    const slices = new Slices(time);
    const sort = { field: by, descending: true };
    const asked = { view, where: [eq<F | 'user_id'>('user_id', userId)], from: 0, to: undefined, sort, value: at };
    for (let after: PageEnd | undefined; !left.aborted;) {
      const page = await search<Row, F | 'user_id'>(reader, asked, after, { find: TOGETHER, examine: TOGETHER });
      const shown: object[] = [];
      for (const { row } of page.rows) shown.push(await present(row));
      yield shown;
      if (page.next === undefined) return;
      after = page.next;
      if (slices.isOver) await slices.next();
    }
  }

  /** Events of a stream, in order. */
  async *#events(stream: string, left: AbortSignal): AsyncGenerator<readonly Recorded[]> {
    for (let from = 0; !left.aborted;) {
      const events = await this.parts.writer.events(stream, { from, most: TOGETHER });
      if (events.length === 0) return;
      yield events;
      from += events.length;
    }
  }

  async *#reads(userId: string, left: AbortSignal): Entries {
    for await (const events of this.#events(`personReads-${userId}`, left)) {
      yield (events as readonly Recorded<PersonReadsEvent>[]).map(({ metadata, data: { reader, day, shown_by } }) => ({
        ...{ at: isoTime(metadata.time), reader, day, shown_by },
      }));
    }
  }

  /** What was known of the user after each event that changed it. */
  async *#profiles(userId: string, left: AbortSignal): Entries {
    const { personalData } = this.parts;
    let last: Profile | null = null;
    const opened = async ({ type, data }: Recorded<UserEvent>): Promise<Profile | null> => {
      if (type === 'user-registered.v1' || type === 'user-changed.v1')
        return personalData.open<Profile>(userId, data.profile);
      if (type !== 'user-email-changed.v1' || last === null) return null;
      const moved = await personalData.open<Pick<Profile, 'email'>>(userId, data.email);
      return moved && { ...last, ...moved };
    };
    for await (const events of this.#events(`user-${userId}`, left)) {
      const shown: object[] = [];
      for (const event of events as readonly Recorded<UserEvent>[]) {
        const profile = await opened(event);
        if (profile === null) continue;
        last = profile;
        shown.push({ at: isoTime(event.metadata.time), ...profile });
      }
      yield shown;
    }
  }

  async *#subscriptions(userId: string, left: AbortSignal): Entries {
    const { keyring, personalData, clock } = this.parts;
    const present = async (row: SubscriptionRow): Promise<object> => {
      const item = await SUBSCRIPTIONS.present(row, { keyring, personalData, now: clock.now() });
      const details = await personalData.open<SubscriptionDetails>(userId, row.details);
      return { ...item, zip: details?.zip ?? null, source: details?.source ?? null };
    };
    yield* this.#rows(
      { view: subscriptionsView, by: 'created_at', at: (row) => row.created_at, present },
      userId,
      left,
    );
  }

  async *#transactions(userId: string, left: AbortSignal): Entries {
    const links = await this.parts.reader.all(cardLinksView, eq('user_id', userId));
    for (const { card_link_id } of links) {
      for await (const events of this.#events(streamName('cardLink', card_link_id), left)) {
        yield (events as readonly Recorded<CardLinkEvent>[]).flatMap(({ type, data }) => {
          if (type !== 'card-link-redeemed.v1') return [];
          const { transaction_date, transaction_reference: reference, transaction_amount: amount, incentive } = data;
          return { card_link_id, at: isoTime(transaction_date), reference, amount, earned: incentive };
        });
      }
    }
  }

  /** Few batches are pending: each is for the next days. */
  async *#planned(userId: string, left: AbortSignal): Entries {
    const { reader } = this.parts;
    await reader.until([batchesView], await reader.end());
    for (let page = 1; !left.aborted; page += 1) {
      const asked = { where: eq('status' as const, 'pending'), sort: NEWEST_FIRST, page, perPage: TOGETHER };
      const found = await reader.of(batchesView).find(asked);
      yield found
        .filter(({ row }) => row.user_ids.includes(userId))
        .map(({ row: { batch_id, deal_id, send_at } }) => ({ batch_id, deal_id, send_at: isoTime(send_at) }));
      if (found.length < TOGETHER) return;
    }
  }

  async *#subscriptionMails(userId: string, left: AbortSignal): Entries {
    const { reader } = this.parts;
    const subscriptions = await reader.all(subscriptionsView, eq('user_id', userId));
    for (const { subscription_id } of subscriptions) {
      for await (const events of this.#events(streamName('subscriptionMail', subscription_id), left)) {
        yield (events as readonly Recorded<SubscriptionMailEvent>[]).flatMap((event) => mailToSubscriber(event) ?? []);
      }
    }
  }
}
