import { wordsOf } from '#kernel';

/** A category's name as a slug: `Food & Drink` becomes `food-drink`, `Cafés` becomes `cafes`; a slug does not change. */
export function categorySlug(name: string): string {
  return wordsOf(name).join('-');
}
