import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const LIBS = fileURLToPath(new URL('../../../libs', import.meta.url));
/** What says which events a folder has. */
const OURS = ['folder-spec', 'listed-deals', 'fill-log'].map((name) =>
  fileURLToPath(new URL(`./${name}.js`, import.meta.url)),
);
const DIGITS = 16;

function digestOf(files: readonly string[]): string {
  const hash = createHash('sha256');
  for (const file of files.toSorted()) hash.update(readFileSync(file));
  return hash.digest('hex').slice(0, DIGITS);
}

function filesIn(folder: string): readonly string[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return files.filter((file) => file.endsWith('.js') && !file.endsWith('.spec.js')).map((file) => join(folder, file));
}

/** Changes with the events, the file of the log, and what fills the data folders. */
export function formatFingerprint(): string {
  const inLog = /\.events\.js$|adapters\/embedded\/log\/log-file\.js$|eventsourcing\/codec\.js$/;
  return digestOf([...filesIn(LIBS).filter((file) => inLog.test(file)), ...OURS]);
}

/** Changes with anything of the service: then its views may have to be built again. */
export function buildFingerprint(): string {
  return digestOf(filesIn(LIBS));
}
