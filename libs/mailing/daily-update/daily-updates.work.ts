import { defineWorkList, type WorkRow } from '#kernel';
import type { DailyUpdateEvent } from './daily-update.events.js';
import { DAILY_UPDATE } from './daily-update.decider.js';

/** The next daily update: one row, due at its time (ruling F5). */
export const dailyUpdates = defineWorkList<WorkRow, DailyUpdateEvent>({
  name: 'daily-updates',
  version: 1,
  key: () => DAILY_UPDATE,
  on: {
    'daily-update-planned.v1': (_, { data }) => ({ due_at: data.due_at }),
    'daily-update-unplanned.v1': () => undefined,
    'daily-update-ended.v1': () => undefined,
  },
  shown: {
    does: 'Begins the mails of the daily update.',
    about: () => ({}),
    insteadOfAbandoning: () =>
      'restart the service without `DAILY_UPDATE_AT`: that ends all daily updates, and with it they begin again',
  },
});
