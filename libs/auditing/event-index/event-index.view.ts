import { value, type View } from '#kernel';
import { TYPES_WITH_WORDS } from '../words/table.js';
import { blockOf, offsetOf, withMark } from './marks.js';
import { termsOf } from './terms.js';

/** Where a block of the log has events with a term. */
export interface IndexedBlock {
  readonly term: string;
  readonly block: number;
  /** A mark for the first event of each group that has one. It only grows at its end. */
  readonly marks: string;
}

/**
 * The index of the log, by actors and types (ruling G7): where to read the events that have a term. It takes every event, and
 * changes a row only once per group.
 */
export const eventIndexView: View<IndexedBlock, 'term' | 'block'> = {
  name: 'event-index',
  version: 1,
  // No event without words compiles.
  types: TYPES_WITH_WORDS,
  keys: (event) => termsOf(event).map((term) => `${term}@${blockOf(event.position)}`),
  apply(row, { position }, key) {
    const before = row ?? { term: key.slice(0, key.lastIndexOf('@')), block: blockOf(position), marks: '' };
    const marks = withMark(before.marks, offsetOf(position));
    return marks === before.marks ? row : { ...before, marks };
  },
  fields: { term: value(({ term }) => term), block: value(({ block }) => block) },
  indexes: [],
  // The second is for the newest first: an index that must be read from its end is sorted as a whole.
  orders: [
    { by: ['term', 'block'], covers: [] },
    { by: ['term', { descending: 'block' }], covers: [] },
  ],
  nearOrders: [],
};
