import { defineDecider, isoTime } from '#kernel';
import { READERS_OF_DAY } from '#kernel/bounds';
import type { PersonReadsEvent, ShownBy } from './person-reads.events.js';

/** Somebody is about to see the personal data of a user. */
export interface NoteRead {
  readonly type: 'note';
  readonly user_id: string;
  readonly reader: string;
  readonly shown_by: ShownBy;
}

/** Who has seen the data on the last day on which anybody has. */
export interface PersonReadsState {
  readonly day: string | null;
  readonly readers: readonly string[];
}

/** Who reads the personal data of a user: one event for each reader and day. The stream's id is the user's. */
export const personReads = defineDecider<NoteRead, PersonReadsState, PersonReadsEvent>({
  category: 'personReads',
  initialState: { day: null, readers: [] },
  decide({ user_id, reader, shown_by }, state, now) {
    const day = isoTime(now).slice(0, 10);
    if (state.day === day && state.readers.includes(reader)) return [];
    return [{ type: 'person-read.v1', data: { user_id, reader, day, shown_by } }];
  },
  evolve: ({ day, readers }, { data }) => ({
    day: data.day,
    readers: data.day === day ? [...readers, data.reader].slice(-READERS_OF_DAY) : [data.reader],
  }),
});
