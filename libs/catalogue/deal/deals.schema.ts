import { z } from 'zod';
import type { Paging } from '#eventsourcing';
import {
  CREDENTIAL_PARAMETERS,
  boolean,
  faultsOf,
  float,
  instant,
  integer,
  oneOfWords,
  pagingOf,
  PAGING_NAMES,
  slug,
  text,
  ValidationFailed,
  words,
  type Call,
  TIME_FORM,
} from '#http';
import { DomainError } from '#kernel';
import type { DealCriteria } from './deal-criteria.js';
import { DEAL_STATES } from './deal.state.js';

const trueAlone = () =>
  boolean()
    .refine((input) => input, { error: 'can only be true' })
    .meta({ const: true })
    .optional();
const falseAlone = () =>
  boolean()
    .refine((input) => !input, { error: 'can only be false' })
    .meta({ const: false })
    .optional();
const cents = (which: string) => integer('anyCents').optional().describe(`The current price in cents, at ${which}.`);
const part = (of: string) => text('line').optional().describe(`A part of the ${of}, in any case.`);

/** The radius in miles of a place without one. */
const NEARBY = 25;

const LATITUDE = () => float('latitude');
const LONGITUDE = () => float('longitude');
const RADIUS = () => float('miles').describe('Miles.');

/** The parameters of the v1 list, besides paging. */
export const LIST = z.strictObject({
  slug: slug().optional().describe('The deal with this id.'),
  marketplace_slug: text('line').optional().describe('Deals with this slug of a marketplace.'),
  title: part('title'),
  state: oneOfWords(DEAL_STATES)
    .optional()
    .describe('Deals in this state now; `in-flight` if neither this nor show_all is given.'),
  show_all: trueAlone().describe(
    'Deals in every state, not only those in flight; has no effect together with `state`.',
  ),
  category: part('category’s name'),
  subcategory: part('subcategory’s name'),
  merchant: part('merchant’s name'),
  price_min: cents('least'),
  price_max: cents('most'),
  region: text('line').optional().describe('A slug, `City, ST`, a ZIP or an IP address.'),
  user: text('line')
    .optional()
    .describe('The id or e-mail address of your user; needs region and card_links_redeemed.'),
  latitude: LATITUDE().optional().describe('Needs longitude. Deals with a place within the radius.'),
  longitude: LONGITUDE().optional().describe('Needs latitude.'),
  radius: RADIUS().optional().describe(`Miles; ${NEARBY} if absent. Needs latitude and longitude.`),
  suppliers: words('slugs', slug()).optional().describe('Deals of any of these suppliers, by their slugs.'),
  vendors: words('slugs', slug()).optional().describe('Deals of any of these merchants, by their slugs.'),
  num_left: integer('count').optional().describe('Deals with at least this number of units left.'),
  exclude_soldout: trueAlone().describe('Leaves out sold-out deals.'),
  runs_min: instant().optional().describe(`Deals that are on sale at some time after this one. ${TIME_FORM}`),
  runs_max: instant().optional().describe(`Deals that are on sale at some time up to this one. ${TIME_FORM}`),
  card_links_redeemed: falseAlone().describe(
    'Leaves out card-linked deals; with `user` only those whose link this user has fulfilled.',
  ),
});

/** The parameters of `/deals/locate`, besides paging; the radius is in miles. */
export const LOCATE = z.strictObject({ latitude: LATITUDE(), longitude: LONGITUDE(), radius: RADIUS() });

/** Whether every call accepts a parameter. */
const isEverywhere = (name: string): boolean =>
  CREDENTIAL_PARAMETERS.has(name) || (PAGING_NAMES as readonly string[]).includes(name);

/** The conditions of a v1 list, and the text that names its region. */
export interface DealListRequest {
  readonly region: string | undefined;
  /** The id or e-mail address of the user whose fulfilled deals are left out. */
  readonly user: string | undefined;
  readonly criteria: DealCriteria;
}

/**
 * Reads the parameters of the v1 list (interface 4.3).
 * @throws DomainError find_failed with the first parameter that is unknown, of a wrong type or impossible (ruling C3)
 */
export function readList(call: Call): DealListRequest {
  const { region, user, show_all, exclude_soldout, latitude, longitude, radius, card_links_redeemed, ...criteria } =
    readStrictly(LIST, call);
  if (user !== undefined && card_links_redeemed === undefined)
    throw impossible('user', 'needs card_links_redeemed=false');
  if (user !== undefined && region === undefined) throw impossible('user', 'needs region');
  const { runs_min, runs_max } = criteria;
  if (runs_min !== undefined && runs_max !== undefined && runs_max < runs_min)
    throw impossible('runs_max', 'must not be before runs_min');
  const without = card_links_redeemed === undefined || user !== undefined ? undefined : 'card-linked';
  const around = placeOf(latitude, longitude, radius);
  const state = show_all === true ? criteria.state : (criteria.state ?? 'in-flight');
  const num_left = exclude_soldout === true ? Math.max(criteria.num_left ?? 1, 1) : criteria.num_left;
  return { region, user, criteria: { ...criteria, around, state, num_left, without } };
}

/** Reads the area of `/deals/locate`, in degrees and miles (ruling C6). @throws DomainError find_failed */
export function readPlace(call: Call): {
  readonly latitude: number;
  readonly longitude: number;
  readonly radius: number;
} {
  return readStrictly(LOCATE, call);
}

/** Reads the usual paging, but its faults are 404 here (ruling A10). */
export function readListPaging(call: Call): Paging {
  try {
    return pagingOf(call.parameters, 'deal');
  } catch (error) {
    if (!(error instanceof ValidationFailed)) throw error;
    const [fault] = error.entries;
    throw impossible(fault?.field ?? 'paging', fault?.message ?? 'is wrong', fault?.detail);
  }
}

function placeOf(
  latitude: number | undefined,
  longitude: number | undefined,
  radius: number | undefined,
): DealCriteria['around'] {
  if (latitude === undefined && longitude === undefined) {
    if (radius !== undefined) throw impossible('radius', 'needs latitude and longitude');
    return undefined;
  }
  if (latitude === undefined) throw impossible('latitude', 'is missing: it goes with longitude');
  if (longitude === undefined) throw impossible('longitude', 'is missing: it goes with latitude');
  return { latitude, longitude, radius: radius ?? NEARBY };
}

function readStrictly<T>(schema: z.ZodType<T>, call: Call): T {
  const input = Object.fromEntries(Object.entries(call.parameters).filter(([name]) => !isEverywhere(name)));
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  const [fault] = faultsOf(parsed.error, input, 'deal');
  const message = fault?.message === 'is not an attribute' ? 'is not a parameter of this call' : fault?.message;
  throw impossible(fault?.field ?? 'a parameter', message ?? 'is wrong', fault?.detail);
}

function impossible(name: string, why: string, detail?: string): DomainError {
  return new DomainError('find_failed', `${name} ${why}`, detail === undefined ? {} : { detail });
}
