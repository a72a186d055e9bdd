import type { ContextModel } from '#kernel';
import { personReads } from './person/person-reads.decider.js';
import { personReadsEvents } from './person/person-reads.events.js';

export { personReads } from './person/person-reads.decider.js';
export { SHOWN_BY, type PersonReadsEvent } from './person/person-reads.events.js';

/** The events of this context, what decides them, and what the service builds from them. */
export const lookup: ContextModel = {
  deciders: [personReads],
  events: [personReadsEvents],
  followers: [],
  views: [],
  workLists: [],
};
