/**
 * Resolves a relative import such as `./ids.js` as Node would, but without reading the disk. If the file does not exist, reading
 * it fails later.
 * @returns its URL; undefined for imports that only Node can resolve: packages, and calls of `require`
 */
export function fileOf(
  specifier: string,
  { parentURL, conditions }: { readonly parentURL?: string | undefined; readonly conditions: readonly string[] },
): string | undefined {
  if (parentURL?.startsWith('file:') !== true || !conditions.includes('import')) return undefined;
  return /^\.\.?\/.*\.js$/.test(specifier) ? new URL(specifier, parentURL).href : undefined;
}
