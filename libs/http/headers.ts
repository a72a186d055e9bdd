/** When a hold expires, as an ISO 8601 instant with milliseconds. */
export const EXPIRES_AT = 'holdfast-expires-at';

/** `true` if the answer is a kept one, replayed for an Idempotency-Key. */
export const REPLAYED = 'idempotency-replayed';
