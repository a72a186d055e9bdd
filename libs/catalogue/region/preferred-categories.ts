import { FREE_OBJECT } from '#kernel/bounds';
import { categorySlug } from '../deal/category-slug.js';

/**
 * The slugs of the categories that a user prefers (ruling C5). `partner_data.preferred_categories` has names or slugs, in
 * any case, as a list or separated by commas; of a text, as many parts count as a list may have. undefined if it names none:
 * then all categories fit.
 */
export function preferredCategories(partnerData: Readonly<Record<string, unknown>>): readonly string[] | undefined {
  const stored = Object.hasOwn(partnerData, 'preferred_categories') ? partnerData['preferred_categories'] : undefined;
  const parts: readonly unknown[] =
    typeof stored === 'string' ? stored.split(',', FREE_OBJECT.values) : Array.isArray(stored) ? stored : [];
  const slugs = parts.filter((part) => typeof part === 'string').map(categorySlug);
  const named = slugs.filter((slug) => slug !== '');
  return named.length === 0 ? undefined : named;
}
