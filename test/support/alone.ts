import { describe } from '@jest/globals';
import { sharedEngines } from './cluster.js';

/** A `describe` whose services stand on engines that it starts itself; skipped where `npm run test:cluster` names them. */
export const describeAlone = sharedEngines() === undefined ? describe : describe.skip;
