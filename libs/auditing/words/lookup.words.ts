import type { PersonReadsEvent } from '#lookup/model';
import { defineWords } from './phrase.js';

/** The words of what operators and auditors have read. */
export const personReadsWords = defineWords<PersonReadsEvent>(
  'Who read personal data',
  'Stream `personReads-<user id>`.',
  {
    'person-read.v1': {
      what: 'An operator or auditor saw the personal data of a user, for the first time on that day. `shown_by` is the call that showed it: a user’s `page`, a `find` by e-mail address, or an `export`.',
      line: ({ user_id, reader, day, shown_by }) => `${reader} saw the data of user ${user_id} on ${day} (${shown_by})`,
    },
  },
);
