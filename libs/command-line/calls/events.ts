import { INTEGERS, TEXTS } from '#kernel/bounds';
import { EVENT_COLUMNS } from '../event-columns.js';
import { readLog } from '../read-log.js';
import type { Call } from './call.js';
import { integer, several, text } from './values.js';

/** Events of one stream. */
interface PartOfStream {
  readonly events: readonly object[];
  readonly next: number | null;
}

const BOUNDS = {
  from: 'the first event: a position, or a moment such as 2026-11-01T00:00:00Z',
  to: 'the last event: a position, or a moment',
} as const;
const TYPE = several(text('types, such as deal-changed,deal-moved'));
/** Actions that are listed unless the operator says how many. */
const LAST = 100;

/** Events of the log, for auditors (ruling G7). */
export const EVENTS: readonly Call[] = [
  {
    noun: 'events',
    verb: 'stream',
    kind: 'one',
    route: 'GET /auditors/streams/:stream',
    words: 'lists events of one stream, such as deal-tram-28',
    example: 'events stream deal-tram-28 --limit 10',
    arguments: { stream: text('the name of a stream', TEXTS.line.most) },
    options: {
      from: { ...integer('the revision of the first event (0)'), as: 'revision' },
      limit: integer('how many events (100)', INTEGERS.perPage),
    },
    show: ({ events, next }: PartOfStream) => ({
      columns: EVENT_COLUMNS,
      rows: events,
      ...(next !== null && { next: `There are more: go on with --from ${next}.` }),
    }),
  },
  {
    noun: 'events',
    verb: 'log',
    kind: 'own',
    route: 'GET /auditors/log',
    words: 'reads the whole log, one event per line (with --json: lines of JSON with all data)',
    example: 'events log --from 2026-11-01T00:00:00Z --actor partner:acme',
    options: {
      ...BOUNDS,
      actor: 'a whole actor, its beginning before a /, such as partner:acme, or a role, such as operator',
      type: TYPE,
      last: integer('only so many, the last ones, the newest first', INTEGERS.perPage),
    },
    run: readLog,
  },
  {
    noun: 'actions',
    verb: 'list',
    kind: 'own',
    route: 'GET /auditors/log',
    words: 'lists what operators did, the newest first (with --json: lines of JSON with all data)',
    example: 'actions list --last 20 --type deal-changed',
    options: { ...BOUNDS, type: TYPE, last: integer(`how many (${LAST})`, INTEGERS.perPage) },
    run: (session, values) => readLog(session, { actor: 'operator', last: LAST, ...values }),
  },
];
