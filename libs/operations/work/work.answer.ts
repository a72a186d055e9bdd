import { z } from 'zod';
import type { OpenRow, OpenWork, WorkCounts } from '#eventsourcing';
import { type AnswerOf, MOMENT, success } from '#http';
import { type Instant, isoTime, SECOND } from '#kernel';

const LIST = z.string().describe('The name of the work list.');
const DOES = z.string().describe('What its work does.');
const COUNT = z.int().min(0).nullable();

/** The open work of one list (ruling G6.2). */
export const WORK_LIST = z
  .strictObject({
    list: LIST,
    does: DOES,
    waiting: COUNT.describe('Work that is not due yet; null while that is unknown.'),
    due: COUNT.describe('Work that is due, what is stuck included; null while that is unknown.'),
    stuck: COUNT.describe(
      'Work that was tried ten times or more, among the thousand pieces that are due the longest; null while that is unknown.',
    ),
    age: z
      .int()
      .min(0)
      .nullable()
      .describe('For how many seconds the work that is due first is open, or due if nobody knows; null for none.'),
  })
  .meta({ id: 'WorkList', description: 'Work that the service does by itself, later or again.' });

/** A piece of open work (ruling G6.2). */
export const WORK = z
  .strictObject({
    list: LIST,
    key: z.string().describe('Its name in the list.'),
    state: z
      .enum(['waiting', 'due', 'stuck'])
      .describe('`stuck`: it was tried ten times or more, and goes on every five minutes.'),
    about: z
      .array(z.strictObject({ name: z.string(), id: z.string() }))
      .describe('The ids of what it is about, such as `purchase_id`.'),
    does: DOES,
    due_at: MOMENT,
    age: z
      .int()
      .min(0)
      .nullable()
      .describe('For how many seconds it is open, or due if nobody knows; null if neither.'),
    tries: z.int().min(0).nullable().describe('How often it was tried since the last restart; null if unknown.'),
    last_error: z.string().nullable().describe('Why the last try did not end it; null for what is not due.'),
    next_try_at: MOMENT.nullable(),
    instead_of_abandoning: z
      .string()
      .nullable()
      .describe('What to do instead of abandoning it; null if it may be abandoned.'),
    todo: z.string().describe('What to do about it now.'),
  })
  .meta({ id: 'Work', description: 'A piece of work that the service does by itself, later or again.' });

/** The answer to an order: the work that it was about. */
export const WORK_ORDERED = success({ list: z.string(), key: z.string() });

export function presentWorkList(
  { list, waiting, due, stuck, first }: WorkCounts,
  of: OpenWork,
  now: Instant,
): AnswerOf<typeof WORK_LIST> {
  return { list, does: of.shown.does, waiting, due, stuck, age: first === null ? null : ageOf(of, first.row, now) };
}

export function presentWork(open: OpenRow, of: OpenWork, now: Instant): AnswerOf<typeof WORK> {
  const { key, row, state, tried } = open;
  // What is not due has another due time than the one at which it was tried last: that try did what it could.
  const last = state !== 'waiting' && typeof tried === 'object' ? tried : undefined;
  const instead = of.shown.insteadOfAbandoning?.(key, row) ?? null;
  return {
    list: of.name,
    key,
    state,
    about: Object.entries(of.shown.about(key, row)).map(([name, id]) => ({ name, id })),
    does: of.shown.does,
    due_at: isoTime(row.due_at),
    age: ageOf(of, row, now),
    tries: tried === 'none' ? 0 : (tried?.tries ?? null),
    last_error: last?.error ?? null,
    next_try_at: last === undefined ? null : isoTime(last.nextTryAt),
    instead_of_abandoning: instead,
    todo: todoOf(open, instead),
  };
}

/** Whole seconds since a row is open, or due if the list does not know; null if it is not due either. */
function ageOf({ shown }: OpenWork, row: OpenRow['row'], now: Instant): number | null {
  const since = shown.openedAt?.(row) ?? (row.due_at <= now ? row.due_at : undefined);
  return since === undefined ? null : Math.max(0, Math.floor((now - since) / SECOND));
}

function todoOf({ state, tried }: OpenRow, instead: string | null): string {
  if (state === 'waiting') return 'Nothing: it is not due yet.';
  if (state === 'due' && typeof tried !== 'object') return 'Nothing: it is about to be tried.';
  if (state === 'due') return 'Nothing yet: it is tried again by itself.';
  const otherwise = instead === null ? 'If it can never succeed, abandon it.' : `If it can never succeed, ${instead}.`;
  return `Mend what its last error says, then try it again. ${otherwise}`;
}
