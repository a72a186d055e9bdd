import { existsSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { FINE, simulate } from './simulate.js';

/** Another version of Node, in `.ci/run`. */
const OTHER_NODE = process.env['OTHER_NODE'] ?? '';

(existsSync(OTHER_NODE) ? it : it.skip)(
  'simulated worlds of the kept seeds are the same on another version of Node',
  async () => {
    expect(await simulate(OTHER_NODE, '--kept')).toEqual(FINE);
  },
  300_000,
);
