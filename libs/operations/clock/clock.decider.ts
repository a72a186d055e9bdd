// The names of these events are on disk.
import {
  DomainError,
  defineDecider,
  defineEventTypes,
  rowAfter,
  type EventOf,
  type Fold,
  type Instant,
  type Recorded,
} from '#kernel';

/** An operator moved the service's time: from now on it is `ahead` milliseconds ahead of the machine's. */
export type ClockEvent = EventOf<'clock-moved.v1', { readonly now: Instant; readonly ahead: number }>;

export const clockEvents = defineEventTypes<ClockEvent>('clock', { 'clock-moved.v1': true });

export interface MoveClock {
  readonly type: 'move';
  /** The new time of the service. */
  readonly now: Instant;
  /** The machine's time. */
  readonly machine: Instant;
}

/** Leaves room before the year 10000, for deals, holds and tokens that end later than the clock. */
const FARTHEST = Date.parse('9000-01-01T00:00:00Z');

/** The id of the only clock. */
export const SERVICE_CLOCK = 'service';

interface ClockState {
  /** How far the service's time is ahead of the machine's, in milliseconds. */
  readonly ahead: number;
}

const clockFold: Fold<ClockState, ClockEvent> = { 'clock-moved.v1': (_, { data: { ahead } }) => ({ ahead }) };

/** The test clock moves forward only (ruling G10). There is one, with the id `service`. */
export const serviceClock = defineDecider<MoveClock, ClockState, ClockEvent>({
  category: 'clock',
  initialState: { ahead: 0 },
  decide(command, state, now) {
    const ahead = command.now - command.machine;
    if (command.now < now) throw new DomainError('clock_backwards', 'must not be before the present time');
    // The clock of this process has not followed the last move yet.
    if (ahead < state.ahead) throw new DomainError('clock_backwards', 'must not be before the time of another move');
    if (command.now >= FARTHEST) throw new DomainError('clock_too_far', 'must be before the year 9000');
    return [{ type: 'clock-moved.v1', data: { now: command.now, ahead } }];
  },
  evolve: (state, event) => rowAfter(clockFold, state, event, SERVICE_CLOCK) ?? state,
});

/** How far an event puts the service's time ahead, in milliseconds; undefined for an event that does not move it. */
export function aheadAfter(event: Recorded): number | undefined {
  return event.type === 'clock-moved.v1' ? (event as Recorded<ClockEvent>).data.ahead : undefined;
}
