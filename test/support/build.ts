import { readFileSync } from 'node:fs';

type Build = Readonly<Record<'version' | 'commit', string>>;

const read = (file: string): Build => JSON.parse(readFileSync(file, 'utf8')) as Build;

/** What this build must say of itself, read from the files that it comes from. */
export const BUILD: Build = { version: read('package.json').version, commit: read('dist/build.json').commit };
