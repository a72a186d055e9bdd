import { describe, expect, it } from '@jest/globals';
import { given, stateOf } from '../../../test/support/given-when-then.js';
import { serviceClock, type ClockEvent } from './clock.decider.js';

const moved = (now: number, ahead: number): ClockEvent => ({ type: 'clock-moved.v1', data: { now, ahead } });

describe('G10: the service’s clock', () => {
  it('moves forward, and stores how far it is ahead of the machine’s', () => {
    given(serviceClock)
      .when({ type: 'move', now: 5_000, machine: 1_000 }, 1_000)
      .then([moved(5_000, 4_000)]);
    given(serviceClock, [moved(5_000, 4_000)])
      .when({ type: 'move', now: 9_000, machine: 2_000 }, 6_000)
      .then([moved(9_000, 7_000)]);
  });

  it('never moves back', () => {
    given(serviceClock).when({ type: 'move', now: 999, machine: 1_000 }, 1_000).then('clock_backwards');
    given(serviceClock)
      .when({ type: 'move', now: 1_000, machine: 1_000 }, 1_000)
      .then([moved(1_000, 0)]);
  });

  // A restart would otherwise take the time of the last move, and so go back.
  it('never moves back behind a move that its process has not followed yet', () => {
    given(serviceClock, [moved(9_000, 8_000)])
      .when({ type: 'move', now: 5_000, machine: 1_000 }, 1_001)
      .then('clock_backwards');
    given(serviceClock, [moved(9_000, 8_000)])
      .when({ type: 'move', now: 9_000, machine: 1_000 }, 1_001)
      .then([moved(9_000, 8_000)]);
  });

  it('refuses the year 9000, to leave room for deadlines after it', () => {
    const to = (time: string) => ({ type: 'move', now: Date.parse(time), machine: 1_000 }) as const;
    given(serviceClock).when(to('9000-01-01T00:00:00Z'), 1_000).then('clock_too_far');
    given(serviceClock)
      .when(to('8999-12-31T23:59:59Z'), 1_000)
      .then([moved(Date.parse('8999-12-31T23:59:59Z'), Date.parse('8999-12-31T23:59:58Z'))]);
  });

  it('stays where the last move put it', () => {
    expect(stateOf(serviceClock, [])).toEqual({ ahead: 0 });
    expect(stateOf(serviceClock, [moved(5, 4), moved(9, 7)])).toEqual({ ahead: 7 });
  });
});
