import type { Profile } from '#people';

/** A name with its first letters alone; null if nothing is known. */
export function maskedName(profile: Pick<Profile, 'first_name' | 'last_name'> | null): string | null {
  const initials = [profile?.first_name, profile?.last_name].flatMap((name) => {
    const [first] = name?.trim() ?? '';
    return first === undefined ? [] : [`${first}.`];
  });
  return initials.length === 0 ? null : initials.join(' ');
}

/** An e-mail address with its first letter and its domain: `g…@example.com`. */
export function maskedEmail(profile: Pick<Profile, 'email'> | null): string | null {
  if (profile === null) return null;
  const [first = ''] = profile.email;
  return `${first}…${profile.email.slice(profile.email.lastIndexOf('@'))}`;
}
