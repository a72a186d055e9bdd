import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Holds the folders of tests of what reaches the disk: in `npm test`, other temporary files may be in memory. */
export const ON_DISK = process.env['TEST_DISK'] ?? tmpdir();

/** A temporary folder for a test. */
export function tempFolder(): { readonly path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), 'holdfast-test-'));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}
