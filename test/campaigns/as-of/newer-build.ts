import { spawnSync } from 'node:child_process';
import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { tempFolder } from '../../support/temp-folder.js';

/** A file of a build, and what replaces a text in it. */
type Change = readonly [file: string, text: string, by: string];

/** The next version of the answers: a purchase names it, at its end. */
const CHANGES: readonly Change[] = [
  ['libs/http/presenters.js', 'export const ANSWERS = 1;', 'export const ANSWERS = 2;'],
  [
    'libs/purchasing/purchase/purchase.present.js',
    'export const purchasePresenters = { 1: firstPurchase };',
    'const second = async (...parts) => ({ ...(await firstPurchase(...parts)), answers: 2 });\n' +
      'export const purchasePresenters = { 1: firstPurchase, 2: second };',
  ],
];

/** Makes a checkout of a later build, whose answers have another version. @returns its folder, which the test run removes */
export function newerBuild(): string {
  const root = tempFolder().path;
  for (const part of ['apps', 'libs', 'build.json'])
    cpSync(join('dist', part), join(root, 'dist', part), { recursive: true });
  for (const part of ['package.json', 'scripts']) cpSync(part, join(root, part), { recursive: true });
  symlinkSync(resolve('node_modules'), join(root, 'node_modules'));
  for (const [file, text, by] of CHANGES) {
    const path = join(root, 'dist', file);
    const before = readFileSync(path, 'utf8');
    if (!before.includes(text)) throw new Error(`${file} has not what the newer build changes: ${text}`);
    writeFileSync(path, before.replace(text, by));
  }
  const made = spawnSync(process.execPath, ['scripts/bundle.mjs'], { cwd: root, encoding: 'utf8' });
  if (made.status !== 0) throw new Error(made.stderr);
  return root;
}
