import { z } from 'zod';
import {
  digits,
  faultsOf,
  integer,
  oneOfWords,
  optional,
  read,
  text,
  unlessNumber,
  ValidationFailed,
  type ErrorEntry,
} from '#http';
import { TEXTS } from '#kernel/bounds';
import { SUBSCRIPTION_STATUSES, type SubscriptionDetails, type SubscriptionStatus } from './subscription.events.js';

const NO_ZIP = 'must be a ZIP such as 02114';
const ZIP = /^(\d{3,5}|\d{5}-\d{4})$/;

/** The parameters of POST /users/:user_id/subscriptions. */
export const SUBSCRIBE = z.object({
  zip: z
    .union([integer('zip'), digits(TEXTS.zip.most, ZIP, NO_ZIP)], { error: unlessNumber(NO_ZIP) })
    .describe('A ZIP, as an integer or as text. 2114 is 02114; of a ZIP+4, the first five digits count.'),
  source: optional(text('line')).describe('Where the subscription came from, for your reports.'),
});

/**
 * Reads what a user subscribes with (interface 4.12).
 * @param by who asks: the partner, or the user with an access token, who may not set the source (ruling A6)
 * @throws ValidationFailed
 */
export function readSubscribe(
  parameters: Readonly<Record<string, unknown>>,
  by: 'partner' | 'user',
): SubscriptionDetails {
  const parsed = SUBSCRIBE.safeParse(parameters);
  const faults = parsed.success ? [] : faultsOf(parsed.error, parameters, 'subscription');
  if (by === 'user' && (parameters['source'] ?? '') !== '') faults.push(SOURCE_OF_USER);
  if (!parsed.success || faults.length > 0) throw new ValidationFailed(faults);
  const { zip, source } = parsed.data;
  // A number has no zeros in front: the ZIP 00501 came as 501.
  return { zip: String(zip).slice(0, 5).padStart(5, '0'), source: source ?? null };
}

const SOURCE_OF_USER: ErrorEntry = {
  type: 'invalid',
  message: 'is valid only with the partner’s own credential',
  field: 'source',
  resource: 'subscription',
};

/** The parameters of PUT /subscriptions/:subscription_id. */
export const SET_STATUS = z.object({ status: oneOfWords(SUBSCRIPTION_STATUSES) });

/** Reads a status (interface 3.6). @throws ValidationFailed */
export function readStatus(parameters: unknown): SubscriptionStatus {
  return read(SET_STATUS, parameters, 'subscription').status;
}
