import { DomainError } from '#kernel';
import { StoreFailed, Unavailable, ViewNotReady } from '#eventsourcing';

/** One fault of a request (interface 7.2). The keys come in this order. */
export interface ErrorEntry {
  readonly type: 'missing_field' | 'missing' | 'invalid' | 'not_owner' | 'not_found';
  readonly message: string;
  readonly field?: string;
  readonly resource: string;
}

/** An error's answer: the body's keys come in the order of ruling A8. */
export interface ErrorAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: {
    readonly status: 'error';
    readonly error_type: string;
    readonly error_msg: string;
    readonly user_id?: string;
    readonly credit_card_id?: string;
    readonly errors?: readonly ErrorEntry[];
  };
}

/** Faults of the request's content, all told at once. */
export class ValidationFailed extends Error {
  override name = 'ValidationFailed';
  constructor(readonly entries: readonly ErrorEntry[]) {
    super('validation failed');
  }
}

/** An answer that is an error by itself: authentication, HTTPS, malformed JSON. */
export class Refused extends Error {
  override name = 'Refused';
  constructor(
    readonly status: number,
    readonly errorType: string,
    message: string,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(message);
  }
}

/** A v3 query that cannot be read: the message names the keyword, and says what is wrong with it. */
export class BadQuery extends Error {
  override name = 'BadQuery';
}

/** The one table from domain codes to answers. */
const ANSWERS: Readonly<Record<string, (error: DomainError) => ErrorAnswer>> = {
  not_found: (error) => plain(404, 'find_failed', error.message),
  deal_not_found: () => plain(404, 'find_failed', 'Unable to find'),
  find_failed: (error) => plain(404, 'find_failed', error.message),
  cannot_fulfill: (error) => ofBuyer(error, plain(422, 'cannot_fufill', error.message)),
  already_charging: (error) => ofBuyer(error, plain(409, 'already_charging', error.message)),
  declined: (error) => ofBuyer(error, plain(422, 'declined', error.message)),
  purchase_invalid: (error) => ofBuyer(error, faults(error.details['entries'] as readonly ErrorEntry[])),
  purchase_not_open: (error) => plain(422, 'update_failed', error.message),
  purchase_not_sold: (error) => plain(422, 'update_failed', error.message),
  coupon_replaced: (error) => plain(422, 'update_failed', error.message),
  coupon_not_reissued: (error) => plain(422, 'update_failed', error.message),
  reissue_expired: entry('invalid', 'expires_at', 'coupon'),
  coupon_not_found: (error) => plain(404, 'redeem_failed', error.message),
  redeem_failed: (error) => plain(422, 'redeem_failed', error.message),
  transition_refused: (error) => plain(422, 'update_failed', error.message),
  user_not_found: entry('not_found', 'user_id', 'user'),
  person_erased: () => plain(404, 'find_failed', 'Unable to find'),
  email_taken: entry('invalid', 'email', 'user'),
  token_changed: (error) => plain(422, 'update_failed', error.message),
  slug_taken: entry('invalid', 'slug', 'partner'),
  stock_below_sold: entry('invalid', 'units', 'deal'),
  too_large: (error) => plain(413, 'validation_failed', error.message),
  secrets_lost: (error) => plain(409, 'secrets_lost', error.message),
  region_not_found: entry('not_found', 'region_id', 'region'),
  region_attribute_missing: (error) => faults([missing(String(error.details['field']), 'region')]),
  clock_backwards: entry('invalid', 'now', 'clock'),
  deal_type_contradicts: entry('invalid', 'type', 'deal'),
  deal_arrives_early: entry('invalid', 'state', 'deal'),
  deal_window_empty: entry('invalid', 'end_at', 'deal'),
  deal_attribute_missing: (error) => faults([missing(String(error.details['field']), 'deal')]),
};

/** What a failed call is answered with. Whatever is not foreseen is a fault of ours, and shows nothing of its inside. */
export function answerTo(error: unknown): ErrorAnswer {
  if (error instanceof ValidationFailed) return faults(error.entries);
  if (error instanceof DomainError) {
    const answer = ANSWERS[error.code];
    if (answer !== undefined) return answer(error);
  }
  if (error instanceof Refused) return plain(error.status, error.errorType, error.message, error.headers);
  if (error instanceof Unavailable) {
    return plain(503, 'unavailable', error.message, { 'retry-after': String(error.retryAfter) });
  }
  if (error instanceof StoreFailed) return plain(503, 'unavailable', 'a store has failed', { 'retry-after': '10' });
  if (error instanceof ViewNotReady) return plain(503, 'unavailable', error.message, { 'retry-after': '1' });
  return plain(500, 'server_error', 'a fault of ours; please report the Request-Id');
}

/** The answer to a bad query has a status and a body of its own (ruling B5). */
export function answerToBadQuery({ message }: BadQuery): { readonly status: number; readonly body: object } {
  return {
    status: 400,
    body: { status: 'error', message: 'Bad request syntax', errors: { query_string: message } },
  };
}

export function missing(field: string, resource: string): ErrorEntry {
  return { type: 'missing_field', message: 'is missing', field, resource };
}

export function plain(
  status: number,
  error_type: string,
  error_msg: string,
  headers: Readonly<Record<string, string>> = {},
): ErrorAnswer {
  return { status, headers, body: { status: 'error', error_type, error_msg } };
}

function faults(errors: readonly ErrorEntry[]): ErrorAnswer {
  const body = { status: 'error', error_type: 'validation_failed', error_msg: 'validation failed', errors } as const;
  return { status: 422, headers: {}, body };
}

/** The ids of the user and the card that were stored all the same stand before `errors` (ruling D6). */
function ofBuyer({ details }: DomainError, answer: ErrorAnswer): ErrorAnswer {
  const { user_id, credit_card_id } = details;
  if (typeof user_id !== 'string' || typeof credit_card_id !== 'string') return answer;
  const { status, error_type, error_msg, errors } = answer.body;
  const body = { status, error_type, error_msg, user_id, credit_card_id };
  return { ...answer, body: errors === undefined ? body : { ...body, errors } };
}

function entry(type: ErrorEntry['type'], field: string, resource: string): (error: DomainError) => ErrorAnswer {
  return (error) => faults([{ type, message: error.message, field, resource }]);
}
