import type { SubscriptionRow } from './subscription.row.js';

/** A user’s e-mail address, as far as confirmations depend on it. The keyed hash that names its stream stands for it. */
export interface AddressNow {
  readonly address: string;
}

/** Whether a link or a confirmation is for the address that the user has now. */
export function isFor(address: string | null, now: AddressNow): boolean {
  return address === now.address;
}

/** A subscription as it is now: confirmed only if its user confirmed it by a mail to the address that they have now (ruling E5). */
export function asOfNow(row: SubscriptionRow, now: AddressNow): SubscriptionRow {
  return row.confirmed && !isFor(row.confirmed_address, now) ? { ...row, confirmed: false } : row;
}
