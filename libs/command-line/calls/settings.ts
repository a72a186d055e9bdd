import type { Call } from './call.js';

/** The settings of the service (rule G13.6). */
export const SETTINGS: readonly Call[] = [
  {
    noun: 'settings',
    verb: 'show',
    kind: 'page',
    route: 'GET /operators/settings',
    words: 'shows the settings of the service and where they come from, without secrets',
    example: 'settings show',
    key: 'settings',
    columns: ['name', 'from', { name: 'value', width: 40, cell: shownOf }, { name: 'means', width: 60 }],
  },
];

/** The value; of one that may be a secret, only that it is set. */
function shownOf(row: object): string {
  const { value } = row as { readonly value: string | null };
  return value ?? 'set, and not shown';
}
