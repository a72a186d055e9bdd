import type { Position } from '#kernel';
import type { DecisionGuard } from '../ports/decision-guard.js';
import type { Append, AppendResult } from '../ports/event-log.js';
import { contradictionIn } from './contradictions.js';

/** How far the loop has seen the log, with which it compares the log's answers. */
export class SeenLog {
  #position: Position = 0n;

  constructor(private readonly guard: Pick<DecisionGuard, 'heed'>) {}

  /**
   * The furthest position that was acknowledged or read for a decision. Events that this process only followed do not count:
   * a server may take them back.
   */
  get position(): Position {
    return this.#position;
  }

  /** Notes a position that was acknowledged or read for a decision. */
  note(position: Position = 0n): void {
    if (position > this.#position) this.#position = position;
  }

  /**
   * Compares the answers with what is known of the log.
   * @param seen the furthest position known before the list was first sent
   * @throws Unavailable if an answer contradicts it: the loop decides nothing more
   */
  async check(list: readonly Append[], results: readonly AppendResult[], seen: Position): Promise<void> {
    for (const [index, append] of list.entries()) {
      const result = results[index];
      if (result === undefined) continue;
      await this.guard.heed(contradictionIn(append, result, seen), append.stream);
      if (result.kind === 'written') this.note(result.position);
    }
  }
}
