import { AppendLine, NoOutcome } from './append-line.js';
import type { Leader } from './leader.js';
import type { AppendAnswer, OutgoingEvent } from './server.js';

/** What the server is told of its time for an append, in milliseconds, where the connection string says nothing. */
const DEADLINE = 10_000;

/** Appends to the leader over one line, which is opened anew where it breaks or leaves one without an outcome. */
export class LeaderAppends {
  #line: Promise<AppendLine> | undefined;

  /** @param deadline what the server is told of its time, in milliseconds; undefined: what this client says by itself */
  constructor(
    private readonly leader: Leader,
    private readonly deadline: number | undefined,
  ) {}

  async append(stream: string, expected: number, events: readonly OutgoingEvent[]): Promise<AppendAnswer> {
    this.#line ??= this.#open();
    const opened = this.#line;
    const line = await opened;
    try {
      return await line.send(stream, expected, events, this.deadline ?? DEADLINE);
    } catch (error) {
      // What others have under way on it may still be answered.
      if (error instanceof NoOutcome) this.#leave(opened, line);
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
