import { DAY, defineDecider, type Instant } from '#kernel';
import type { DailyUpdateEvent, DailyUpdatePlanned } from './daily-update.events.js';

/** The id of the only stream. */
export const DAILY_UPDATE = 'plan';

export type DailyUpdateCommand =
  /** Plans the next update; `at` is milliseconds after midnight in UTC, null for no more updates. */
  | { readonly type: 'plan'; readonly at: number | null }
  /** The update of a day is out: plans the next day's. */
  | { readonly type: 'end'; readonly day: number; readonly at: number };

export interface DailyUpdateState {
  readonly planned: DailyUpdatePlanned | null;
  /** The last day whose update is out; -1 for none. */
  readonly ended: number;
}

/**
 * The days of the daily update (ruling F5). An update that was missed because the service was down goes out as soon as it is up
 * on the same day; after midnight in UTC it is dropped, because its users get the next one. No day has two.
 */
export const dailyUpdate = defineDecider<DailyUpdateCommand, DailyUpdateState, DailyUpdateEvent>({
  category: 'dailyUpdate',
  initialState: { planned: null, ended: -1 },
  decide(command, state, now) {
    const { planned } = state;
    if (command.type === 'end') {
      const { day, at } = command;
      if (planned?.day !== day) return [];
      return [{ type: 'daily-update-ended.v1', data: { day } }, plannedFor(day + 1, at)];
    }
    const { at } = command;
    if (at === null) return planned === null ? [] : [{ type: 'daily-update-unplanned.v1', data: { day: planned.day } }];
    const next = plannedFor(nextDay(state, at, now), at);
    const isSame = planned?.day === next.data.day && planned.due_at === next.data.due_at;
    return isSame ? [] : [next];
  },
  evolve(state, event) {
    switch (event.type) {
      case 'daily-update-planned.v1':
        return { ...state, planned: event.data };
      case 'daily-update-unplanned.v1':
        return { ...state, planned: null };
      case 'daily-update-ended.v1':
        return { planned: null, ended: event.data.day };
    }
  },
});

function plannedFor(day: number, at: number): Extract<DailyUpdateEvent, { type: 'daily-update-planned.v1' }> {
  return { type: 'daily-update-planned.v1', data: { day, due_at: day * DAY + at } };
}

/** The first updates begin at their time, not with the setting: nobody expects mails from a restart. */
function nextDay({ planned, ended }: DailyUpdateState, at: number, now: Instant): number {
  const today = Math.floor(now / DAY);
  const earliest = planned?.day ?? (today * DAY + at > now ? today : today + 1);
  return Math.max(earliest, today, ended + 1);
}
