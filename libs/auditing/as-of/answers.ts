import { cardLinkAsOf, cardLinkPresenters } from '#engagement';
import { allFieldsOf, DEAL_FIELDS, dealAsOf, dealPresenters, dealV3Presenters, readFields } from '#catalogue';
import {
  type Keyring,
  type Past,
  type PersonalData,
  type Reader,
  Slices,
  type Time,
  type Writer,
} from '#eventsourcing';
import { presenterOf } from '#http';
import { DomainError, notFound } from '#kernel';
import { openProfile, userAsOf, userPresenters } from '#people';
import {
  atTillPresenters,
  couponAsOf,
  couponIdOf,
  type DealDetails,
  dealOfCoupon,
  purchaseAsOf,
  purchasePresenters,
  resoldCouponPresenters,
  resoldPresenters,
} from '#purchasing';
import type { Shape } from './as-of.parameters.js';
import type { MadeThen } from './made-then.js';

/** What answers of then are made from. */
export interface ThenParts {
  readonly writer: Writer;
  readonly reader: Reader;
  readonly keyring: Keyring;
  readonly personalData: PersonalData;
  readonly details: DealDetails;
  readonly time: Time;
}

/** The fields that a v3 answer had; undefined for all. */
export interface Fields {
  readonly fields: string | undefined;
}

/** An answer of then, before it is made. */
export interface AnswerOfThen {
  /** The user whose personal data it shows, or opens; null for nobody's. */
  readonly person: string | null;
  show(): Promise<object>;
}

/** The resources that can be asked as of a time. */
export type Resource = 'purchases' | 'coupons' | 'deals' | 'users' | 'card_links';

/** How partners were refused who asked for what was not there: the 404 of then. */
export const UNKNOWN_THEN: Readonly<Record<Resource, () => DomainError>> = {
  purchases: () => notFound('you have no purchase or reservation with this id'),
  coupons: () =>
    new DomainError('not_found', 'Failed. not found.', { detail: 'you have no coupon with this id or barcode' }),
  deals: () => new DomainError('deal_not_found', 'Unable to find'),
  users: () => notFound('you have no user with this id'),
  card_links: () => notFound('you have no card link with this id'),
};

/** Finds a thing as it was, by its id; undefined if there was none. */
type Find = (past: Past, id: string, parts: ThenParts, made: MadeThen & Fields) => Promise<AnswerOfThen | undefined>;

/** The resources that can be asked as of a time, by their names in paths; each with its shapes. */
export const ANSWERS_OF_THEN: Readonly<Record<Resource, Partial<Readonly<Record<Shape, Find>>>>> = {
  purchases: {
    async v1(past, id, parts, made) {
      const row = await purchaseAsOf(past, parts.keyring, id);
      if (row === undefined) return undefined;
      const present = presenterOf(purchasePresenters, made.version);
      return {
        person: row.user_id,
        show: async () => ({
          status: 'success',
          purchase: await present(row, past.cut.instant, presenting(parts, made)),
        }),
      };
    },
    async reseller(past, id, parts, made) {
      const row = await purchaseAsOf(past, parts.keyring, id);
      const reference = row?.reference ?? null;
      if (row === undefined || reference === null) return undefined;
      const present = presenterOf(resoldPresenters, made.version);
      return { person: null, show: () => present(row, reference, past.cut.instant, presenting(parts, made)) };
    },
  },
  coupons: {
    async v1(past, named, parts, made) {
      const row = await couponAsOf(past, await couponIdOf(parts.reader, named, undefined));
      if (row === undefined) return undefined;
      const present = presenterOf(atTillPresenters, made.version);
      return {
        person: row.user_id,
        async show() {
          const deal = await dealOfCoupon(parts.writer, parts.details, row);
          return present({ row, deal }, past.cut.instant, presenting(parts, made));
        },
      };
    },
    async reseller(past, named, parts, made) {
      const row = await couponAsOf(past, await couponIdOf(parts.reader, named, undefined));
      if (row === undefined || row.user_id !== null) return undefined;
      const present = presenterOf(resoldCouponPresenters, made.version);
      return {
        person: null,
        show: () => Promise.resolve({ coupon: present(row, past.cut.instant, presenting(parts, made)) }),
      };
    },
  },
  deals: {
    async v1(past, id, _, made) {
      const found = await dealAsOf(past, id);
      if (found === undefined) return undefined;
      const present = presenterOf(dealPresenters, made.version);
      const { href: publicUrl } = made.publicUrl;
      return {
        person: null,
        show: () => Promise.resolve({ status: 'success', deal: present({ ...found, publicUrl }) }),
      };
    },
    async v3(past, id, { keyring }, made) {
      const found = await dealAsOf(past, id);
      if (found === undefined) return undefined;
      const present = presenterOf(dealV3Presenters, made.version);
      const fields = made.fields === undefined ? allFieldsOf(DEAL_FIELDS) : readFields(made.fields, DEAL_FIELDS);
      // A list shows the stock as recorded.
      const shown = { ...found, ranOut: 0 };
      return {
        person: null,
        show: () => Promise.resolve(present(shown, fields, { keyring, publicUrl: made.publicUrl })),
      };
    },
  },
  users: {
    async v1(past, id, { personalData }, made) {
      const row = await userAsOf(past, id);
      if (row === undefined) return undefined;
      const present = presenterOf(userPresenters, made.version);
      return {
        person: id,
        show: async () => ({ status: 'success', user: present(row, await openProfile(personalData, row)) }),
      };
    },
  },
  card_links: {
    async v1(past, id, _, made) {
      const row = await cardLinkAsOf(past, id);
      if (row === undefined) return undefined;
      const present = presenterOf(cardLinkPresenters, made.version);
      return { person: null, show: () => Promise.resolve({ status: 'success', card_link: present(row) }) };
    },
  },
};

function presenting({ time }: ThenParts, { signing, publicUrl }: MadeThen) {
  return { keyring: signing, publicUrl, slices: new Slices(time) };
}
