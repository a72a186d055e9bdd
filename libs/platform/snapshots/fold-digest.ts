import { createHash } from 'node:crypto';
import { dirname, join, relative } from 'node:path';
import { readWithin } from '#files';

/** The most bytes of a compiled file, or of a package’s description. */
const MOST_BYTES = 16 * 1024 * 1024;
/** A static import, or an export from another file, as the compiler writes them. */
const IMPORT = /^(?:import|export)\b(?:[^;'"]*?\bfrom)?\s*['"](?<name>[^'"]+)['"]/gm;

/**
 * The digest of compiled files and of all that they import, directly or indirectly: the content of each file, and the name and the
 * version of each package. The same content has the same digest wherever it lies.
 * @param root the folder with `dist` and `node_modules`
 * @param entries files of `dist/libs`
 * @returns hex digits
 */
export function foldDigest(root: string, entries: readonly string[]): string {
  const libs = join(root, 'dist', 'libs');
  const files = new Map<string, string>();
  const packages = new Map<string, string>();
  const waiting = entries.map((entry) => join(libs, entry));
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (files.has(file)) continue;
    const text = textOf(file);
    files.set(file, text);
    for (const { groups } of text.matchAll(IMPORT)) {
      const name = groups?.['name'] ?? '';
      const ours = fileOf(name, file, libs);
      if (ours !== undefined) waiting.push(ours);
      else if (!name.startsWith('node:')) packages.set(name, versionOf(name, root));
    }
  }
  const hash = createHash('sha256');
  const named = [...files].map(([file, text]): [string, string] => [relative(libs, file), text]);
  for (const [name, text] of [...named, ...packages].toSorted(([a], [b]) => (a < b ? -1 : 1)))
    hash.update(`${name}\0${text}\0`);
  return hash.digest('hex').slice(0, 32);
}

/** The file that an import means; undefined for a package. As `imports` in package.json. */
function fileOf(name: string, importer: string, libs: string): string | undefined {
  if (name.startsWith('.')) return join(dirname(importer), name);
  if (!name.startsWith('#')) return undefined;
  const path = name.slice(1);
  return join(libs, /\/(?:model|module)$/.test(path) ? `${path}.js` : `${path}/index.js`);
}

function versionOf(name: string, root: string): string {
  const [first = '', second = ''] = name.split('/');
  const folder = first.startsWith('@') ? join(first, second) : first;
  const { version } = JSON.parse(textOf(join(root, 'node_modules', folder, 'package.json'))) as { version: string };
  return version;
}

function textOf(file: string): string {
  const bytes = readWithin(file, MOST_BYTES);
  if (bytes === undefined) throw new Error(`${file} has more than ${MOST_BYTES} bytes`);
  return bytes.toString('utf8');
}
