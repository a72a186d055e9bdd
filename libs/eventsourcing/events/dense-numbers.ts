import type { Position } from '#kernel';
import type { EventLogReader } from '../ports/event-log.js';
import type { Numbers } from '../ports/numbers.js';

/** Numbers of a log whose positions are numbers of events: it gives its own events the positions 1, 2, 3 and so on. */
export class DenseNumbers implements Numbers {
  constructor(private readonly log: Pick<EventLogReader, 'head'>) {}

  at(position: Position): number {
    return Number(position);
  }

  soonAt(position: Position): Promise<number> {
    return Promise.resolve(Number(position));
  }

  async positionOf(number: number): Promise<Position | undefined> {
    const position = BigInt(number);
    return position <= (await this.log.head()) ? position : undefined;
  }
}
