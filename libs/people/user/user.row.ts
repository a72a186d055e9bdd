import type { UserEvent, UserRegistered } from './user.events.js';

/** What is personal about a user; sealed wherever it is kept. Absent parts are null. */
export interface Profile {
  readonly email: string;
  readonly first_name: string | null;
  readonly last_name: string | null;
  /** YYYY-MM-DD. */
  readonly birthday: string | null;
  readonly postal_code: string | null;
  /** For the partner's reporting. */
  readonly source: string | null;
  /** The partner's own token for the user. */
  readonly token: string | null;
  /** Cents, kept as given. */
  readonly credits: number;
  readonly partner_data: Readonly<Record<string, unknown>>;
  readonly session_id: string | null;
}

/** A user as events tell it; `presentUser` makes the answer of it and its opened profile. */
export type UserRow = UserRegistered;

export function userAfter(_row: UserRow | undefined, event: UserEvent): UserRow {
  return event.data;
}
