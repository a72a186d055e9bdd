import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Holds the folders of tests of what reaches the disk: in `npm test`, other temporary files may be in memory. */
export const ON_DISK = process.env['TEST_DISK'] ?? tmpdir();

/** A temporary folder for a test. */
export function tempFolder(): { readonly path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), 'holdfast-test-'));
  // It may be a data folder, which has the file of erasures beside it.
  const paths = [path, `${path}.erasures`];
  return { path, remove: () => paths.forEach((each) => rmSync(each, { recursive: true, force: true })) };
}
