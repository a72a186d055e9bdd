import type { Call } from './call.js';
import { REASON, text } from './values.js';

const ofWork = { list: text('the name of the work list'), key: text('the key of the work in it') };

/** Open work (ruling G6.2). */
export const WORK: readonly Call[] = [
  {
    noun: 'work',
    verb: 'list',
    kind: 'page',
    route: 'GET /operators/work',
    words: 'lists the work lists: how much of what the service does by itself waits, is due, and is stuck',
    example: 'work list',
    key: 'lists',
    columns: ['list', 'stuck', 'due', 'waiting', { name: 'age', width: 8 }, { name: 'does', width: 60 }],
  },
  {
    noun: 'work',
    verb: 'show',
    kind: 'page',
    route: 'GET /operators/work/:list',
    words: 'shows the open work of one list, what is due the longest first',
    example: 'work show open-checkouts',
    arguments: { list: ofWork.list },
    key: 'work',
    columns: [{ name: 'key', width: 40 }, 'state', 'due_at', 'age', 'tries', { name: 'last_error', width: 40 }, 'todo'],
  },
  {
    noun: 'work',
    verb: 'retry',
    kind: 'one',
    route: 'POST /operators/work/:list/:key/retry',
    words: 'tries open work again at once, whatever pause it has',
    example: 'work retry open-refunds 7d0c3f',
    arguments: ofWork,
  },
  {
    noun: 'work',
    verb: 'abandon',
    kind: 'one',
    route: 'POST /operators/work/:list/:key/abandon',
    words: 'ends open work for good, because it will never succeed; open checkouts and refunds never',
    example: 'work abandon subscription-mails 5f2b-confirmation --reason "the mailbox is gone"',
    arguments: ofWork,
    options: { reason: REASON },
  },
];
