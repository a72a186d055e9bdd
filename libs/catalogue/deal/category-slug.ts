/** A category's name as a slug: `Food & Drink` is `food-drink`, and a slug stays what it is. */
export function categorySlug(name: string): string {
  const words = name
    .normalize('NFKC')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u);
  return words.filter((word) => word !== '').join('-');
}
