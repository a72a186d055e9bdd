import { z } from 'zod';
import { ERROR_TYPES, missing, type ErrorEntry, type ErrorType } from '#http';
import { INTEGERS } from '#kernel/bounds';
import type { OwnErrors } from './error-examples.js';
import type { Route } from './routes.js';

/** The statuses whose meaning depends on the call. The others mean the same everywhere. */
const OWN: ReadonlySet<number> = new Set([404, 409, 422]);

/** The calls that redeem a coupon: an unknown one has its own error type there (ruling D10). */
const REDEEMS = /\/coupons\/(:coupon_id\/)?redeem$/;

/** The error types of a call at a status; undefined if they are the same as for every call. */
export function ownTypesOf(status: number, { path, description }: Route): readonly ErrorType[] | undefined {
  if (!OWN.has(status)) return undefined;
  const refuses = Object.keys(description?.refuses ?? {}) as ErrorType[];
  const own = refuses.filter((type) => (ERROR_TYPES[type][0] as readonly number[]).includes(status));
  if (status === 404) return REDEEMS.test(path) ? own : ['find_failed'];
  return [status === 409 ? 'already_processing' : 'validation_failed', ...own];
}

/** The texts and fields of a call's errors at a status. */
export function ownErrorsOf(status: number, route: Route): OwnErrors {
  const texts = route.description?.refuses ?? {};
  if (status === 404) return unknownOf(route);
  return status === 422 ? { texts: { ...texts, ...unreadable(route) }, more: wrongOf(route) } : { texts, more: {} };
}

/** The detail for an unknown id, by the name of the parameter or of the resource in the path. */
const UNKNOWN: Readonly<Record<string, string>> = {
  purchase_id: 'you have no purchase or reservation with this id',
  reservation: 'you have no reservation with this id; a purchase by card has no hold: ask an operator to refund it',
  user_id: 'you have no user with this id',
  credit_card_id: 'you have no credit card with this id',
  shipping_address_id: 'you have no shipping address with this id',
  saved_deal_id: 'you have no saved deal with this id',
  card_link_id: 'you have no card link with this id',
  batch_id: 'you have no batch with this id',
  subscription_id: 'you have no subscription with this id',
  signed: 'this link does not work: copy the whole address from the mail',
  deal_id: 'no deal has this id: GET /v1/deals lists those on sale, with show_all=true all of them',
  region_id: 'no region has this id: GET /api/v1/regions lists them',
  city: 'no region has this id: GET /api/v1/regions lists them',
  place: 'no region has this id: GET /api/v1/regions lists them',
  coupon_id: 'you have no coupon with this id or barcode',
  resold: 'you have resold no coupon with this id or barcode',
  partners: 'no partner has this id: GET /operators/partners lists them',
  purchases: 'no purchase has this id',
  coupons: 'no coupon has this id',
  users: 'no user has this id',
  batches: 'no batch has this id',
  stream: 'no stream has this name: a stream is a category, a dash and an id, such as deal-tram-28',
  tokens: 'no token has this id: GET /operators/tokens lists them',
  deals: 'no deal has this id: GET /v1/deals lists those on sale, with show_all=true all of them',
  key: 'no key has this name: GET /operators/keys lists them',
  list: 'no work list has this name: GET /operators/work lists them',
  view: 'no projection has this name, or none of its generations this number: GET /operators/projections lists them',
};

function unknownOf({ path, description }: Route): OwnErrors {
  const of = (detail: string | undefined): object => (detail === undefined ? {} : { detail });
  const inPath = /:(\w+)/.exec(path)?.[1];
  if (
    inPath === undefined &&
    !REDEEMS.test(path) &&
    description?.parameters instanceof z.ZodObject &&
    !('deal_id' in description.parameters.shape)
  ) {
    return { texts: { find_failed: 'price_max must be an integer in cents, such as 2500' }, more: { find_failed: {} } };
  }
  const kind = inPath === 'id' || inPath === 'slug' ? (path.split('/')[2] ?? '') : (inPath ?? 'deal_id');
  const coupon = 'Failed. not found.';
  return {
    texts: { redeem_failed: coupon, ...(/^coupon(s|_id)$/.test(kind) && { find_failed: coupon }) },
    more: {
      find_failed: of(UNKNOWN[unknownIn(path) ?? kind]),
      redeem_failed: of('you have no coupon with this id or barcode, or it belongs to another user'),
    },
  };
}

/** Calls that answer an unknown id otherwise than the others. */
function unknownIn(path: string): string | undefined {
  if (/\/(claim|release)$/.test(path)) return 'reservation';
  const then = /^\/auditors\/(\w+)s\/:id$/.exec(path)?.[1];
  if (then !== undefined) return `${then}_id`;
  return path.startsWith('/api/v3/coupons/') ? 'resold' : undefined;
}

/** An example for a call without parameters that can be wrong: a wrong header. */
function unreadable(route: Route): OwnErrors['texts'] {
  if (faultOf(route) !== undefined) return {};
  const { method } = route;
  return {
    validation_failed:
      method === 'GET'
        ? 'Holdfast-Position is ahead of the log: send the value from an earlier answer'
        : 'this Idempotency-Key was used for another request',
  };
}

function wrongOf(route: Route): OwnErrors['more'] {
  const fault = faultOf(route);
  return { validation_failed: fault === undefined ? {} : { errors: [fault] } };
}

/** An example fault: the first required parameter is missing; for lists, `per_page` is too large. */
function faultOf({ path, access, group, description }: Route): ErrorEntry | undefined {
  const shape: Readonly<Record<string, z.ZodType>> = description?.parameters?.shape ?? {};
  const resource =
    access === 'operator' || access === 'auditor'
      ? (path.split('/')[2] ?? '').replace(/s$/, '')
      : (RESOURCES[group ?? ''] ?? 'deal');
  const required =
    description?.missing ?? Object.entries(shape).find(([, schema]) => !schema.safeParse(undefined).success)?.[0];
  if (required !== undefined) {
    const entry = missing(required, resource);
    // Resellers and batches have texts of their own (rulings D11, F1).
    if (group === 'Resellers') return { ...entry, message: `${required} is required` };
    return group === 'Targeted email' ? { ...entry, message: 'is required' } : entry;
  }
  if (!('per_page' in shape)) return undefined;
  const [least, most] = INTEGERS.perPage;
  return { type: 'invalid', message: `must be an integer from ${least} to ${most}`, field: 'per_page', resource };
}

const RESOURCES: Readonly<Record<string, string>> = {
  Purchases: 'purchase',
  Coupons: 'coupon',
  Resellers: 'purchase',
  Users: 'user',
  'Access tokens': 'access_token',
  'Credit cards': 'credit_card',
  'Shipping addresses': 'shipping_address',
  'Saved deals': 'saved_deal',
  'Card links': 'card_link',
  'Targeted email': 'batch',
  Subscriptions: 'subscription',
  Regions: 'region',
};
