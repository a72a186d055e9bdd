import type { Call } from './call.js';
import { choice, text } from './values.js';

/** The keys of the installation (ruling G14). */
export const SERVICE_KEYS: readonly Call[] = [
  {
    noun: 'service-keys',
    verb: 'list',
    kind: 'page',
    route: 'GET /operators/keys',
    words: 'lists the keys of the installation, without their secrets, and how far a rotation is',
    example: 'service-keys list',
    key: 'keys',
    columns: [
      'key',
      'id',
      'since',
      'older',
      'rotation.state',
      'rotation.rows_sealed',
      { name: 'rotation.waits_for', width: 60 },
    ],
  },
  {
    noun: 'service-keys',
    verb: 'rotate',
    kind: 'one',
    route: 'POST /operators/keys/:key/rotate',
    words: 'begins the rotation of a key of the installation, and returns at once; nothing stops',
    example: 'service-keys rotate data --reason "once a year"',
    arguments: { key: choice('the key', 'master', 'data', 'urls') },
    options: { reason: text('why; it stays in the history') },
  },
];
