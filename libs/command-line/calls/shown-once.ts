import { seenByDefault } from '../show.js';
import type { Seen } from './call.js';

/** Shows all fields of an answer, with a word about the secrets in it. A repeated request is answered without them. */
export const shownOnce = (answer: object): Seen => ({
  ...seenByDefault(answer),
  next: 'Keep the secrets: nothing shows them again.',
});
