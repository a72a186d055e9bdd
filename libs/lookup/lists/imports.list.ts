import { z } from 'zod';
import { MOMENT, text } from '#http';
import { isoTime } from '#kernel';
import { importsView, type ImportRow } from '#operations/model';
import { defineList, NEWEST_FIRST } from '../list/list.js';

const COUNT = z.int().min(0).nullable();

const IMPORT_LISTED = z
  .strictObject({
    id: z.string().describe('The `correlation` of all events that it has written.'),
    actor: z.string(),
    state: z
      .enum(['begun', 'ended', 'broken'])
      .describe('`begun`: it runs, or nobody has seen its end. `broken`: not every line has run.'),
    lines: COUNT,
    changed: COUNT,
    unchanged: COUNT,
    refused: COUNT,
    regions: COUNT.describe('Changed lines of this kind.'),
    deals: COUNT,
    partners: COUNT,
    users: COUNT,
    created_at: MOMENT,
    ended_at: MOMENT.nullable(),
  })
  .meta({ id: 'OperatedImport', description: 'An import that has changed something.' });

const stateOf = ({ end }: ImportRow): 'begun' | 'ended' | 'broken' => {
  if (end === null) return 'begun';
  return end.whole ? 'ended' : 'broken';
};

/** Imports that have changed something (ruling G4). */
export const IMPORTS = defineList({
  name: 'imports',
  kind: 'import',
  page: ({ id }) => `/auditors/streams/import-${id}`,
  lists: 'imports that have changed something',
  view: importsView,
  ...NEWEST_FIRST,
  filters: {
    actor: { schema: text('line').describe('The operator, such as `operator:ann`.'), field: 'actor' as const },
  },
  item: IMPORT_LISTED,
  present: (row) => {
    const { id, actor, created_at, ended_at, end } = row;
    return {
      id,
      actor,
      state: stateOf(row),
      lines: end?.lines ?? null,
      changed: end?.changed ?? null,
      unchanged: end?.unchanged ?? null,
      refused: end?.refused ?? null,
      regions: end?.regions ?? null,
      deals: end?.deals ?? null,
      partners: end?.partners ?? null,
      users: end?.users ?? null,
      created_at: isoTime(created_at),
      ended_at: ended_at === null ? null : isoTime(ended_at),
    };
  },
});
