/**
 * The file that a module names by its path, such as `./ids.js`: what Node would find, without a look at the disk. A file that
 * is not there is told of when it is read.
 * @returns its URL; undefined for what only Node can find: packages, what `require` asks for, and links
 */
export function fileOf(
  specifier: string,
  { parentURL, conditions }: { readonly parentURL?: string | undefined; readonly conditions: readonly string[] },
): string | undefined {
  if (parentURL?.startsWith('file:') !== true || !conditions.includes('import')) return undefined;
  return /^\.\.?\/.*\.js$/.test(specifier) ? new URL(specifier, parentURL).href : undefined;
}
