import type { Call } from './call.js';
import { text } from './values.js';

/** Backups that the service itself takes (ruling G12.2). */
export const BACKUPS: readonly Call[] = [
  {
    noun: 'backups',
    verb: 'order',
    kind: 'one',
    route: 'POST /operators/backup',
    words: 'lets the service back itself up into its BACKUP_DIR, and returns at once',
    example: 'backups order --keep 7d,4w,12m',
    options: { keep: text('how many daily, weekly and monthly copies stay') },
  },
  {
    noun: 'backups',
    verb: 'show',
    kind: 'one',
    route: 'GET /operators/backup',
    words: 'shows the backup that the service takes, or has taken last',
    example: 'backups show',
  },
];
