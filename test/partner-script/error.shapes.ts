import {
  all,
  type Check,
  exactly,
  filled,
  isObject,
  listOf,
  notEmpty,
  nullable,
  object,
  oneOf,
  optional,
  parts,
  text,
  that,
} from './checks.js';
import { answers, type Promised, refused } from './step.js';

/** 7.1: an error of one of these types. */
export function errorBody(...types: readonly string[]): Check {
  return object({ status: exactly('error'), error_type: oneOf(...types), error_msg: text });
}

/** 7.1: a deal or coupon that is not found. */
export const notFound: Promised = answers(404, errorBody('find_failed'));

/** D6: a fault of the purchase alone. Where the purchase names user and card, their ids are there. */
export function notBought(type: string): Check {
  return object({
    status: exactly('error'),
    error_type: exactly(type),
    error_msg: text,
    user_id: optional(filled),
    credit_card_id: optional(filled),
  });
}

/** 7.1: cannot_fufill is the spelling of the interface. */
export const cannotFufill: Promised = answers(422, notBought('cannot_fufill'));

/** 7.1: the reseller purchase call spells it cannot_fulfill. */
export const cannotFulfill: Promised = answers(422, errorBody('cannot_fulfill'));

/** What an entry of `errors` is about. Undefined: the interface leaves it open. */
export interface Entry {
  readonly types?: readonly string[];
  readonly resources?: readonly string[];
  readonly field?: string;
}

const TYPES = ['missing_field', 'missing', 'invalid', 'not_owner', 'not_found'];
const RESOURCES = ['user', 'credit_card', 'purchase', 'shipping_address', 'deal'];

/** 7.2, in the order of A8 */
const entry = object({
  type: oneOf(...TYPES),
  message: filled,
  field: optional(nullable(text)),
  resource: oneOf(...RESOURCES),
});

/**
 * 7.1, 7.2: a failed validation with an entry about this. The table spells the type validation_failed, the lists
 * validations_failed; the field of an entry is optional.
 */
export function invalid(about: Entry = {}): Promised {
  const { types = TYPES, resources = RESOURCES, field } = about;
  const says = that(
    `an entry of type ${types.join('|')}, resource ${resources.join('|')}${field === undefined ? '' : `, field ${field}`}`,
    (value) =>
      Array.isArray(value) &&
      value.some(
        (item: unknown) =>
          isObject(item) &&
          types.includes(String(item['type'])) &&
          resources.includes(String(item['resource'])) &&
          (field === undefined || (item['field'] ?? field) === field),
      ),
  );
  return answers(
    422,
    object({
      status: exactly('error'),
      error_type: oneOf('validation_failed', 'validations_failed'),
      error_msg: text,
      user_id: optional(nullable(text)),
      credit_card_id: optional(nullable(text)),
      errors: all(listOf(entry), notEmpty, says),
    }),
  );
}

/**
 * 7.4: the message of a field of a batch call. Neither the HTTP status nor the place in the body is shown: the body names the
 * field and the message together somewhere.
 */
export function complains(field: string, message: string): Promised {
  return refused(
    all(
      object({ status: exactly('error') }, 'open'),
      that(`somewhere ${field} and "${message}"`, (body) =>
        parts(body).some((part) => isObject(part) && (pairs(part, field, message) || keyed(part, field, message))),
      ),
    ),
  );
}

function pairs(part: Readonly<Record<string, unknown>>, field: string, message: string): boolean {
  return part['field'] === field && Object.values(part).includes(message);
}

function keyed(part: Readonly<Record<string, unknown>>, field: string, message: string): boolean {
  return field in part && parts(part[field]).includes(message);
}

/** 7.3: a coupon that cannot be cancelled; a reason has these words, in any case. */
export function notCancelled(...words: readonly string[]): Promised {
  const says = that(`a reason with ${words.join(', ')}`, (value) =>
    parts(value).some((part) => typeof part === 'string' && words.every((word) => part.toLowerCase().includes(word))),
  );
  return answers(
    422,
    object({
      status: exactly('error'),
      message: filled,
      code: exactly('422'),
      errors: object({ coupons: all(listOf(filled), notEmpty, says) }),
    }),
  );
}

/** 7.3: an unknown coupon on cancel. */
export const noCouponToCancel: Promised = answers(
  404,
  object({ status: exactly('error'), message: filled, type: exactly('find_failed') }),
);
