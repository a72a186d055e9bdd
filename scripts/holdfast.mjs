#!/usr/bin/env node
/**
 * The executable `holdfast`: the operators' command line, from any folder. Like `npm run ops`, it installs and builds what is
 * missing, and takes the token of the clone's data folder unless told otherwise.
 */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const program = join(root, 'dist/apps/ops/holdfast.js');
const args = process.argv.slice(2);
// A shell asks for words at each press of a key: it gets none rather than wait for a build.
const isAsked = args[0] === 'complete' && args[1] === '--';

process.env.DATA_DIR ??= join(root, 'data');
process.argv.splice(2, Infinity, ...(isAsked ? ['--no-build'] : []), program, ...args);
if (!isAsked || existsSync(program)) await import('./run.mjs');
