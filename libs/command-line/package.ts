import { readFileSync } from 'node:fs';

/** Name and version of the package. */
export const PACKAGE = named(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'));

function named(text: string): { readonly name: string; readonly version: string } {
  const { name, version } = JSON.parse(text) as { readonly name: string; readonly version: string };
  return { name, version };
}
