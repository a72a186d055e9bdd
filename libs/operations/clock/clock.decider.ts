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

/** The service's time was moved: from now on it stands `ahead` milliseconds before the machine's. */
export type ClockEvent = EventOf<'clock-moved.v1', { readonly now: Instant; readonly ahead: number }>;

export const clockEvents = defineEventTypes<ClockEvent>('clock', { 'clock-moved.v1': true });

export interface MoveClock {
  readonly type: 'move';
  /** Where the clock is to stand. */
  readonly now: Instant;
  /** The machine's time. */
  readonly machine: Instant;
}

/** Before the last times that can be written with four digits of a year, for deals, holds and tokens that end later. */
const FARTHEST = Date.parse('9000-01-01T00:00:00Z');

/** The id of the only clock. */
export const SERVICE_CLOCK = 'service';

interface ClockState {
  /** Milliseconds before the machine's time. */
  readonly ahead: number;
}

const clockFold: Fold<ClockState, ClockEvent> = { 'clock-moved.v1': (_, { data: { ahead } }) => ({ ahead }) };

/** The test clock moves forward only (ruling G10). There is one, with the id `service`. */
export const serviceClock = defineDecider<MoveClock, ClockState, ClockEvent>({
  category: 'clock',
  initialState: { ahead: 0 },
  decide(command, _state, now) {
    if (command.now < now) throw new DomainError('clock_backwards', 'lies before the present time');
    if (command.now >= FARTHEST) throw new DomainError('clock_too_far', 'must lie before the year 9000');
    return [{ type: 'clock-moved.v1', data: { now: command.now, ahead: command.now - command.machine } }];
  },
  evolve: (state, event) => rowAfter(clockFold, state, event, SERVICE_CLOCK) ?? state,
});

/** How far the service's time stands ahead after an event, in milliseconds; undefined for an event that does not move it. */
export function aheadAfter(event: Recorded): number | undefined {
  return event.type === 'clock-moved.v1' ? (event as Recorded<ClockEvent>).data.ahead : undefined;
}
