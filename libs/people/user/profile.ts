import type { PersonalData } from '#eventsourcing';
import type { UserRow } from './user.row.js';

/** The personal data of a user; sealed wherever it is stored. Absent parts are null. */
export interface Profile {
  readonly email: string;
  readonly first_name: string | null;
  readonly last_name: string | null;
  /** YYYY-MM-DD. */
  readonly birthday: string | null;
  readonly postal_code: string | null;
  /** Where the user came from, for the partner's reports. */
  readonly source: string | null;
  /** The partner's own token for the user. */
  readonly token: string | null;
  /** Cents, stored as given. */
  readonly credits: number;
  readonly partner_data: Readonly<Record<string, unknown>>;
  readonly session_id: string | null;
}

/** Parts of a profile; undefined where the request names nothing. */
export type ProfileInput = { readonly [Name in keyof Profile]?: Profile[Name] | undefined };

/** A new user's profile: absent parts are null; absent credits are the signup credit, in cents (interface 4.9). */
export function newProfile(input: ProfileInput & { readonly email: string }, signupCredit: number): Profile {
  return {
    email: input.email,
    first_name: input.first_name ?? null,
    last_name: input.last_name ?? null,
    birthday: input.birthday ?? null,
    postal_code: input.postal_code ?? null,
    source: input.source ?? null,
    token: input.token ?? null,
    credits: input.credits ?? signupCredit,
    partner_data: input.partner_data ?? {},
    session_id: input.session_id ?? null,
  };
}

/** The profile with the given parts replaced. */
export function changedProfile(profile: Profile, input: ProfileInput): Profile {
  const present = Object.entries<unknown>(input).filter(([, value]) => value !== undefined);
  return { ...profile, ...(Object.fromEntries(present) as Partial<Profile>) };
}

/** A user's opened profile; null after they were erased. */
export async function openProfile(
  personalData: PersonalData,
  row: Pick<UserRow, 'user_id' | 'profile' | 'new_email'>,
): Promise<Profile | null> {
  const profile = await personalData.open<Profile>(row.user_id, row.profile);
  if (profile === null || row.new_email === null) return profile;
  const moved = await personalData.open<{ readonly email: string }>(row.user_id, row.new_email);
  return moved === null ? null : { ...profile, email: moved.email };
}
