import { categorySlug } from '../deal/category-slug.js';

/**
 * The categories that a user prefers (ruling C5), as slugs: `partner_data.preferred_categories` has names or slugs, in any
 * case, as a list or with commas between. undefined where none is named: then all categories are wanted.
 */
export function preferredCategories(partnerData: Readonly<Record<string, unknown>>): readonly string[] | undefined {
  const given = Object.hasOwn(partnerData, 'preferred_categories') ? partnerData['preferred_categories'] : undefined;
  const parts: readonly unknown[] = typeof given === 'string' ? given.split(',') : Array.isArray(given) ? given : [];
  const slugs = parts.filter((part) => typeof part === 'string').map(categorySlug);
  const named = slugs.filter((slug) => slug !== '');
  return named.length === 0 ? undefined : named;
}
