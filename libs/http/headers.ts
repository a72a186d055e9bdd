/** When the units that a reservation holds are free again, as an ISO 8601 instant with milliseconds. */
export const EXPIRES_AT = 'holdfast-expires-at';

/** Whether this is the answer that was kept for an Idempotency-Key. */
export const REPLAYED = 'idempotency-replayed';
