import { thisMachine } from '#adapters/machine';
import { type Append, newCommandId } from '#eventsourcing';

/** An append of events whose data are the given numbers. */
export function numbered(stream: string, expected: number, ...numbers: number[]): Append {
  return {
    stream,
    expected,
    events: numbers.map((number) => {
      const id = newCommandId(1_700_000_000_000, thisMachine.randomness);
      const metadata = { time: 1, command_id: id, correlation: 'r', causation: null, actor: 'system:test' };
      return { id, type: 'happened.v1', data: { number }, metadata };
    }),
  };
}
