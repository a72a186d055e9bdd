/** When a hold expires, as an ISO 8601 instant with milliseconds. */
export const EXPIRES_AT = 'holdfast-expires-at';

/** What an answer shows, and when: the last event that it has seen, and the instant (ruling G7). */
export const AS_OF = 'holdfast-as-of';

/** Of how many persons an answer of then shows nothing, because they were erased since (ruling H6). */
export const ERASED = 'holdfast-erased';

/** The parameters that a call did not use, each with the nearest name that it takes (ruling A2). */
export const IGNORED = 'holdfast-ignored';

/** `true` if the answer is a kept one, replayed for an Idempotency-Key. */
export const REPLAYED = 'idempotency-replayed';
