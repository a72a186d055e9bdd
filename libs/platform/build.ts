import { existsSync, readFileSync } from 'node:fs';

/** Which build this is: every line of the log, the details of the health check and the API reference say it. */
export interface Build {
  /** The version of the package. */
  readonly version: string;
  /** The commit of its sources, with `-dirty` if they differed from it; `unknown` if the build did not know it. */
  readonly commit: string;
}

const PACKAGE = new URL('../../../package.json', import.meta.url);
/** Written by scripts/commit.mjs; the compiler alone writes none. */
const COMMIT = new URL('../../build.json', import.meta.url);

const { version } = JSON.parse(readFileSync(PACKAGE, 'utf8')) as Pick<Build, 'version'>;
const { commit } = existsSync(COMMIT)
  ? (JSON.parse(readFileSync(COMMIT, 'utf8')) as Pick<Build, 'commit'>)
  : { commit: 'unknown' };

/** This build. */
export const BUILD: Build = { version, commit };
