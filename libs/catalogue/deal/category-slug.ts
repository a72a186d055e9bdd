/** A category's name as a slug: `Food & Drink` becomes `food-drink`; a slug does not change. */
export function categorySlug(name: string): string {
  const words = name
    .normalize('NFKC')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u);
  return words.filter((word) => word !== '').join('-');
}
