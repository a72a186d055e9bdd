import type { PersonalData } from '#eventsourcing';
import type { UserRow } from './user.row.js';

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

/** A profile in parts: what is undefined is not said. */
export type GivenProfile = { readonly [Name in keyof Profile]?: Profile[Name] | undefined };

/** A new user's profile: what is not said is null, and the credits are the signup credit, in cents (interface 4.9). */
export function newProfile(given: GivenProfile & { readonly email: string }, signupCredit: number): Profile {
  return {
    email: given.email,
    first_name: given.first_name ?? null,
    last_name: given.last_name ?? null,
    birthday: given.birthday ?? null,
    postal_code: given.postal_code ?? null,
    source: given.source ?? null,
    token: given.token ?? null,
    credits: given.credits ?? signupCredit,
    partner_data: given.partner_data ?? {},
    session_id: given.session_id ?? null,
  };
}

/** The profile with the parts that are said. */
export function changedProfile(profile: Profile, given: GivenProfile): Profile {
  const said = Object.entries<unknown>(given).filter(([, value]) => value !== undefined);
  return { ...profile, ...(Object.fromEntries(said) as Partial<Profile>) };
}

/** What is sealed about a user, opened; null when he has been erased. */
export async function openProfile(
  personalData: PersonalData,
  row: Pick<UserRow, 'user_id' | 'profile' | 'new_email'>,
): Promise<Profile | null> {
  const profile = await personalData.open<Profile>(row.user_id, row.profile);
  if (profile === null || row.new_email === null) return profile;
  const moved = await personalData.open<{ readonly email: string }>(row.user_id, row.new_email);
  return moved === null ? null : { ...profile, email: moved.email };
}
