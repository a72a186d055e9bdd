import { describe, it } from '@jest/globals';
import { sharedEngines } from './cluster.js';

const alone = sharedEngines() === undefined;

/** A test that looks into the files of the embedded engines, or lets their log end the process; skipped on other engines. */
export const itOnEmbedded: typeof it.skip = alone ? it : it.skip;
export const describeOnEmbedded: typeof describe.skip = alone ? describe : describe.skip;
