import { z } from 'zod';
import { DomainError, type AnsweredCode, type DomainCode, Refusals } from '#kernel';
import { StoreFailed, Unavailable, UnreadableEvent, ViewNotReady } from '#eventsourcing';
import type { AnswerOf } from './answer-of.js';

/** Every `error_type` (interface 7.1, ruling A8): its statuses and its meaning. The API reference lists them. */
export const ERROR_TYPES = {
  find_failed: [
    [404],
    'The path or a parameter names something that does not exist, or a parameter of a v1 deal list is impossible.',
  ],
  validation_failed: [
    [400, 408, 413, 415, 417, 422, 431],
    'The request cannot be read, or its parameters are wrong: see `errors`.',
  ],
  method_not_allowed: [[405], 'The path does not have this method; `Allow` lists its methods.'],
  update_failed: [[403, 422], 'The present state does not allow the change.'],
  redeem_failed: [[404, 422], 'The coupon does not exist, or the coupon or card link cannot be redeemed.'],
  cannot_fufill: [[422], 'The purchase cannot be fulfilled.'],
  cannot_fulfill: [[422], 'The purchase of a reseller cannot be fulfilled.'],
  declined: [
    [422],
    'The payment was declined. With `Retry-After` and without `purchase_id`: the card or the user had too many declines within an hour, so the gateway was not asked.',
  ],
  already_charging: [[409], 'Another purchase of this user and deal is still being charged.'],
  already_processing: [[409], 'The first request with this Idempotency-Key is still running.'],
  secrets_lost: [[409], 'The first request made secrets that can no longer be shown.'],
  auth_failed: [
    [401, 403],
    'The credential is missing, wrong, revoked or expired; or its role, its scope or its user does not allow the call.',
  ],
  https_required: [[403], 'Plain HTTP works only from the machine that runs the service.'],
  rate_limited: [[429], 'Too many requests: try again after Retry-After seconds.'],
  server_error: [[500], 'A fault of ours; please report the Request-Id.'],
  unavailable: [[503], 'Not ready, overloaded or behind: try again after Retry-After seconds.'],
} as const satisfies Readonly<Record<string, readonly [statuses: readonly number[], meaning: string]>>;

export type ErrorType = keyof typeof ERROR_TYPES;

/** An explanation for people, beside the fixed texts of the interface. It may change. */
const DETAIL = z
  .string()
  .describe('What was not found or is not possible, why, and what can be done: for people to read.');

/** One fault of a request (interface 7.2), with its keys in this order. */
export const ERROR_ENTRY = z
  .strictObject({
    type: z.enum(['missing_field', 'missing', 'invalid', 'not_owner', 'not_found']),
    message: z.string(),
    field: z.string().exactOptional(),
    resource: z.string(),
    detail: DETAIL.exactOptional(),
  })
  .meta({ id: 'ErrorEntry', description: 'One fault of a request.' });
export type ErrorEntry = AnswerOf<typeof ERROR_ENTRY>;

/** An error's body: the keys in the order of ruling A8, then our own. */
export const ERROR = z
  .strictObject({
    status: z.literal('error'),
    error_type: z.enum(Object.keys(ERROR_TYPES) as [ErrorType, ...ErrorType[]]),
    error_msg: z.string(),
    user_id: z.string().exactOptional(),
    credit_card_id: z.string().exactOptional(),
    errors: z.array(ERROR_ENTRY).exactOptional(),
    purchase_id: z.string().describe('The purchase that was declined, or that is still being charged.').exactOptional(),
    detail: DETAIL.exactOptional(),
  })
  .meta({
    id: 'Error',
    description: 'Why a call failed. `user_id` and `credit_card_id` name the user and the card, which stay stored.',
  });

/** The body of a v3 query that cannot be read (ruling B5). */
export const BAD_QUERY = z
  .strictObject({
    status: z.literal('error'),
    message: z.literal('Bad request syntax'),
    errors: z.strictObject({ query_string: z.string() }),
    detail: z.string().describe('What can be sent instead: for people to read.').exactOptional(),
  })
  .meta({ id: 'BadQuery', description: 'The keyword of a v3 query that is missing or wrong, and why.' });

/** An error's answer. */
export interface ErrorAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: AnswerOf<typeof ERROR>;
}

/** All faults of a request's content. */
export class ValidationFailed extends Error {
  override name = 'ValidationFailed';
  constructor(readonly entries: readonly ErrorEntry[]) {
    super('validation failed');
  }
}

/** An error with its own answer, such as a failed authentication or malformed JSON. */
export class Refused extends Error {
  override name = 'Refused';
  constructor(
    readonly status: number,
    readonly errorType: ErrorType,
    message: string,
    readonly headers: Readonly<Record<string, string>> = {},
    /** An explanation for people. */
    readonly detail?: string,
  ) {
    // Without a stack trace: it would cost more than all the rest of refusing a caller without a credential.
    const frames = Error.stackTraceLimit;
    Error.stackTraceLimit = 0;
    super(message);
    Error.stackTraceLimit = frames;
  }
}

/** A v3 query that cannot be read: the message names the keyword and the fault. */
export class BadQuery extends Error {
  override name = 'BadQuery';
  constructor(
    message: string,
    /** What the caller can send instead. */
    readonly detail?: string,
  ) {
    super(message);
  }
}

/** A refusal whose body has a form of its own in the interface (7.3). */
export class FormedRefusal extends Error {
  override name = 'FormedRefusal';
  constructor(
    readonly status: number,
    /** For the log: the body may not have it. */
    readonly errorType: ErrorType,
    readonly body: object,
  ) {
    super(errorType);
  }
}

/** An answer for each code that can reach a caller, and for no other code. */
export type Answers = Readonly<Record<AnsweredCode, (error: DomainError) => ErrorAnswer>>;

/** The one table from domain codes to answers. */
const ANSWERS: Answers = {
  not_found: (error) => plain(404, 'find_failed', error.message),
  several: (error) => (error instanceof Refusals ? ofAll(error.all) : plain(422, 'validation_failed', error.message)),
  deal_not_found: () =>
    unable('no deal has this id: GET /v1/deals lists those on sale, with show_all=true all of them'),
  find_failed: (error) => plain(404, 'find_failed', error.message),
  cannot_fulfill: (error) => ofBuyer(error, plain(422, 'cannot_fufill', error.message)),
  already_charging: (error) => ofBuyer(error, plain(409, 'already_charging', error.message)),
  declined: (error) => ofBuyer(error, plain(422, 'declined', error.message, retryAfter(error))),
  purchase_invalid: (error) => ofBuyer(error, faults(error.details['entries'] as readonly ErrorEntry[])),
  purchase_not_open: (error) => plain(422, 'update_failed', error.message),
  key_not_rotated: (error) => plain(422, 'update_failed', error.message),
  key_rotates: (error) => plain(422, 'update_failed', error.message),
  projection_refused: (error) => plain(422, 'update_failed', error.message),
  work_refused: (error) => plain(422, 'update_failed', error.message),
  purchase_not_sold: (error) => plain(422, 'update_failed', error.message),
  buyer_is_user: (error) => plain(422, 'update_failed', error.message),
  coupon_replaced: (error) => plain(422, 'update_failed', error.message),
  coupon_not_reissued: (error) => plain(422, 'update_failed', error.message),
  reissue_expiry_not_one: entry('invalid', 'expires_at', 'coupon'),
  reissue_expired: entry('invalid', 'expires_at', 'coupon'),
  coupon_not_found: (error) => plain(404, 'redeem_failed', error.message),
  redeem_failed: (error) => plain(422, 'redeem_failed', error.message),
  barcode_shared: (error) => plain(422, 'redeem_failed', error.message),
  card_link_not_changed: (error) => plain(422, 'update_failed', error.message),
  redemptions_used_up: (error) => plain(422, 'redeem_failed', error.message),
  zip_without_region: (error) => {
    const words = `there is no such ZIP as ${String(error.details['zip'])}, or no active region covers it`;
    return entry('invalid', 'zip', 'subscription', words)(error);
  },
  reference_used: entry(
    'invalid',
    'transaction_reference',
    'purchase',
    'a purchase with other content has this reference: a repeat must be the same in every field',
  ),
  resale_refused: (error) => plain(422, 'cannot_fulfill', error.message),
  transition_refused: (error) => plain(422, 'update_failed', error.message),
  user_not_found: entry('not_found', 'user_id', 'user', 'you have no user with this id'),
  person_erased: () => unable('you have no user with this id'),
  email_taken: entry(
    'invalid',
    'email',
    'user',
    'one of your users has this address: PUT /api/v1/users/<email>/update_by_email changes them and answers with their id; is_deleted=false restores a deleted user',
  ),
  emails_used_up: entry(
    'invalid',
    'email',
    'user',
    'the user has had too many addresses: only one of those is possible',
  ),
  cards_used_up: entry(
    'invalid',
    'number',
    'credit_card',
    'deleted cards count too: only a number that the user has stored before can be stored again',
  ),
  token_changed: (error) => plain(422, 'update_failed', error.message),
  slug_taken: entry('invalid', 'slug', 'partner'),
  name_taken: entry('invalid', 'name', 'token'),
  key_name_taken: entry(
    'invalid',
    'name',
    'key',
    'keys of one name replace each other, and allow the same: choose another name, or the same scope and access',
  ),
  keys_used_up: (error) => plain(422, 'update_failed', error.message),
  stock_below_sold: (error) => {
    const { held, sold } = error.details;
    const units = held === 1 ? 'unit is' : 'units are';
    const words = `${String(held)} ${units} held, and ${String(sold)} ${sold === 1 ? 'is' : 'are'} sold`;
    return entry('invalid', 'units', 'deal', words)(error);
  },
  list_too_costly: (error) => plain(422, 'validation_failed', error.message),
  page_too_large: (error) => plain(422, 'validation_failed', error.message),
  stream_of_others: (error) => plain(422, 'update_failed', error.message),
  too_large: (error) => plain(413, 'validation_failed', error.message),
  secrets_lost: (error) => plain(409, 'secrets_lost', error.message),
  actor_unknown: entry('invalid', 'actor', 'event'),
  as_of_unknown: entry('invalid', 'as_of', 'as_of'),
  event_type_unknown: entry('invalid', 'type', 'event'),
  last_of_all: entry('invalid', 'last', 'event'),
  no_event_there: entry('invalid', 'from', 'event'),
  no_event_until: entry('invalid', 'until', 'event'),
  region_not_found: entry(
    'not_found',
    'region_id',
    'region',
    'no region has this id: PUT /operators/regions/<id> makes one',
  ),
  region_attribute_missing: (error) => faults([missing(String(error.details['field']), 'region')]),
  region_place_half: named('region'),
  clock_backwards: entry('invalid', 'now', 'clock'),
  clock_too_far: entry('invalid', 'now', 'clock'),
  deal_type_contradicts: entry('invalid', 'type', 'deal'),
  deal_arrives_early: entry('invalid', 'state', 'deal'),
  deal_window_empty: entry('invalid', 'end_at', 'deal'),
  deal_expires_early: named('deal'),
  deal_expiry_not_one: entry('invalid', 'expires_at', 'deal'),
  deal_incentive_twice: entry('invalid', 'incentive_percentage', 'deal'),
  deal_attribute_missing: (error) => faults([missing(String(error.details['field']), 'deal')]),
};

/** Every code that has an answer. */
export const DOMAIN_CODES = Object.keys(ANSWERS) as readonly AnsweredCode[];

/** The answer to a failed call. An unexpected error is a 500 that shows no internals. */
export function answerTo(error: unknown): ErrorAnswer {
  if (error instanceof ValidationFailed) return faults(error.entries);
  if (error instanceof DomainError) {
    const answer = (ANSWERS as Partial<Record<DomainCode, Answers[AnsweredCode]>>)[error.code];
    if (answer !== undefined) return detailed(error, answer(error));
  }
  if (error instanceof Refused) {
    const { status, errorType, message, headers, detail } = error;
    return withDetail(plain(status, errorType, message, headers), detail);
  }
  if (error instanceof Unavailable) {
    return plain(503, 'unavailable', error.message, { 'retry-after': String(error.retryAfter) });
  }
  if (error instanceof UnreadableEvent) return plain(503, 'unavailable', error.message, { 'retry-after': '10' });
  if (error instanceof StoreFailed) return plain(503, 'unavailable', 'a store has failed', { 'retry-after': '10' });
  if (error instanceof ViewNotReady) return plain(503, 'unavailable', error.message, { 'retry-after': '1' });
  return plain(500, 'server_error', 'a fault of ours; please report the Request-Id');
}

/** The answer to a bad v3 query, which has its own status and body (ruling B5). */
export function answerToBadQuery({ message, detail }: BadQuery): {
  readonly status: number;
  readonly body: AnswerOf<typeof BAD_QUERY>;
} {
  return {
    status: 400,
    body: {
      status: 'error',
      message: 'Bad request syntax',
      errors: { query_string: message },
      ...(detail !== undefined && { detail }),
    },
  };
}

export function missing(field: string, resource: string): ErrorEntry {
  return { type: 'missing_field', message: 'is missing', field, resource };
}

export function plain(
  status: number,
  error_type: ErrorType,
  error_msg: string,
  headers: Readonly<Record<string, string>> = {},
): ErrorAnswer {
  return { status, headers, body: { status: 'error', error_type, error_msg } };
}

function faults(errors: readonly ErrorEntry[]): ErrorAnswer {
  const body = { status: 'error', error_type: 'validation_failed', error_msg: 'validation failed', errors } as const;
  return { status: 422, headers: {}, body };
}

/** The header of a refusal that ends by itself, such as too many declined tries (ruling I12). */
function retryAfter({ details: { retry_after } }: DomainError): Readonly<Record<string, string>> {
  return typeof retry_after === 'number' ? { 'retry-after': String(retry_after) } : {};
}

/** The entries of several refusals. One without an entry is about the whole call: then the answer has only that one. */
function ofAll(refusals: readonly DomainError[]): ErrorAnswer {
  const answers = refusals.map(answerTo);
  const whole = answers.find(({ body }) => body.errors === undefined);
  return whole ?? faults(answers.flatMap(({ body }) => body.errors ?? []));
}

/** Adds the ids of the user and the card, which stay stored, before `errors` (ruling D6), and the purchase's after it. */
function ofBuyer({ details }: DomainError, answer: ErrorAnswer): ErrorAnswer {
  const { user_id, credit_card_id, purchase_id } = details;
  if (typeof user_id !== 'string' || typeof credit_card_id !== 'string') return answer;
  const { status, error_type, error_msg, errors } = answer.body;
  const body = {
    ...{ status, error_type, error_msg, user_id, credit_card_id },
    ...(errors !== undefined && { errors }),
    ...(typeof purchase_id === 'string' && { purchase_id }),
  };
  return { ...answer, body };
}

/** Adds the error's `detail` as the last key. */
function detailed({ details: { detail } }: DomainError, answer: ErrorAnswer): ErrorAnswer {
  return withDetail(answer, typeof detail === 'string' ? detail : undefined);
}

/** The answer with an explanation for people, if there is one. */
export function withDetail(answer: ErrorAnswer, detail: string | undefined): ErrorAnswer {
  return detail === undefined ? answer : { ...answer, body: { ...answer.body, detail } };
}

function unable(detail: string): ErrorAnswer {
  return withDetail(plain(404, 'find_failed', 'Unable to find'), detail);
}

/** A fault of the field that the error's details name. */
function named(resource: string): (error: DomainError) => ErrorAnswer {
  return (error) => entry('invalid', String(error.details['field']), resource)(error);
}

function entry(
  type: ErrorEntry['type'],
  field: string,
  resource: string,
  detail?: string,
): (error: DomainError) => ErrorAnswer {
  return (error) =>
    faults([{ type, message: error.message, field, resource, ...(detail !== undefined && { detail }) }]);
}
