/** When the units that a reservation holds are free again, as an ISO 8601 instant with milliseconds. */
export const EXPIRES_AT = 'holdfast-expires-at';
