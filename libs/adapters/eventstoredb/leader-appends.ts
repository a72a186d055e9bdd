import { AppendLine } from './append-line.js';
import { NoOutcome } from './append-outcomes.js';
import type { Leader } from './leader.js';
import { type AppendAnswer, type AppendConnection, NotTaken, OtherConnection, type OutgoingEvent } from './server.js';

/** How long the server may take for an append, in milliseconds, if the connection string does not say. */
const DEADLINE = 10_000;

/**
 * Appends to the leader over one line. It opens a new line when the old one breaks or leaves an append without an outcome.
 */
export class LeaderAppends {
  #line: Promise<AppendLine> | undefined;

  /** @param deadline how long the server may take, in milliseconds; undefined means this client's own */
  constructor(
    private readonly leader: Leader,
    private readonly deadline: number | undefined,
  ) {}

  /** The line that appends use. Opens one if there is none. */
  line(): Promise<AppendLine> {
    return (this.#line ??= this.#open());
  }

  /** @param over the only line that may carry it; absent means any */
  async append(
    stream: string,
    expected: number,
    events: readonly OutgoingEvent[],
    over?: AppendConnection,
  ): Promise<AppendAnswer> {
    const opened = this.line();
    const line = await opened;
    if (over !== undefined && over !== line) {
      throw new OtherConnection('the connection is new: the log behind it is checked first');
    }
    try {
      return await line.send(stream, expected, events, this.deadline ?? DEADLINE);
    } catch (error) {
      // Appends of others on this line may still be answered.
      if (error instanceof NoOutcome || error instanceof NotTaken || line.isLate) this.#leave(opened, line);
      throw error;
    }
  }

  async #open(): Promise<AppendLine> {
    try {
      const node = await this.leader.node();
      const opened = this.#line;
      const line: AppendLine = new AppendLine(node, (error) => {
        if (this.#line === opened) this.#line = undefined;
        this.leader.lost(node, error);
      });
      return line;
    } catch (error) {
      this.#line = undefined;
      throw error;
    }
  }

  #leave(opened: Promise<AppendLine>, line: AppendLine): void {
    if (this.#line === opened) this.#line = undefined;
    this.leader.leave(line.node);
    line.retire();
  }
}
