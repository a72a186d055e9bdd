import { isIP } from 'node:net';

/** What a text names (ruling C4): a place by ZIP, by city and state or by IP address; otherwise a region by its slug. */
export type Named =
  | { readonly kind: 'zip'; readonly zip: string }
  | { readonly kind: 'city'; readonly city: string; readonly state: string }
  | { readonly kind: 'ip'; readonly address: string }
  | { readonly kind: 'slug'; readonly slug: string };

/** Five digits; the place does not depend on the further digits of a ZIP+4. */
const ZIP = /^(\d{5})(-\d{4})?$/;

/** `City, ST` or `City/ST`. */
const CITY = /^([^,/]{1,100})[,/]\s*([a-z]{2})$/i;

/** Reads the name of a region or a place. Trims it and takes several blanks as one. */
export function readPlace(input: string): Named {
  const text = input.trim().replace(/\s+/g, ' ');
  const zip = ZIP.exec(text)?.[1];
  if (zip !== undefined) return { kind: 'zip', zip };
  const [, city, state] = CITY.exec(text) ?? [];
  if (city !== undefined && state !== undefined) return { kind: 'city', city: city.trim(), state: state.toUpperCase() };
  // An address with a zone (fe80::1%eth0) has a meaning only on one machine.
  if (isIP(text) !== 0 && !text.includes('%')) return { kind: 'ip', address: text };
  return { kind: 'slug', slug: text };
}
