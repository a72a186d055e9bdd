import { LONGEST_TIME } from '#kernel/bounds';
import type { Call } from './call.js';
import { required, text } from './values.js';

/** The time of the service, and the test clock (ruling G10). */
export const CLOCK: readonly Call[] = [
  {
    noun: 'clock',
    verb: 'show',
    kind: 'one',
    route: 'GET /operators/clock',
    words: 'shows the time of the service',
    example: 'clock show',
  },
  {
    noun: 'clock',
    verb: 'move',
    kind: 'one',
    route: 'PUT /operators/clock',
    words: 'moves the time of the service forward, if TEST_CLOCK is set; it never goes back',
    example: 'clock move --now 2027-01-31T12:00:00Z',
    options: { now: required(text('the new time', LONGEST_TIME)) },
  },
];
