import type { Column } from './calls/call.js';

/** An event, as far as people see it. */
interface ShownEvent {
  readonly stream: string;
  readonly revision: number;
}

/** The columns of events. Those of the whole log are printed as they come, so nobody knows the longest cell. */
export const EVENT_COLUMNS: readonly Column[] = [
  { name: 'position', width: 12 },
  { name: 'time', width: 24 },
  { name: 'actor', width: 60 },
  { name: 'type', width: 32 },
  { name: 'event', width: 48, cell: ({ stream, revision }: ShownEvent) => `${stream}@${revision}` },
  'words',
];
