/** The slug of a name (ruling B2): what `category_id` is in the v3 shape (ruling B3). Null for nothing. */
export function slugOf(name: string | null): string | null {
  if (name === null) return null;
  const slug = name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{M}/gu, '')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
  return slug === '' ? null : slug;
}
