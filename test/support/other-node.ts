import { existsSync } from 'node:fs';
import { it } from '@jest/globals';

/** Another version of Node, in `.ci/run`. */
export const OTHER_NODE = process.env['OTHER_NODE'] ?? '';

/** A test that needs another version of Node; skipped without one. */
export const itOnOtherNode = existsSync(OTHER_NODE) ? it : it.skip;
