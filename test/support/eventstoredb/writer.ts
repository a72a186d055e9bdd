import { EventEmitter } from 'node:events';
import type { Expected } from './commit-check.js';
import type { Proposed } from './journal.js';
import type { DoubleOptions } from './options.js';
import type { Outcome, Store } from './store.js';

/** An append as a client requests it. */
export interface AppendRequest {
  readonly stream: string;
  readonly expected: Expected;
  readonly events: readonly Proposed[];
  /** The client's name for its connection. */
  readonly connection: string;
}

/** The share of callers that learn the outcome of a copy of an append that is still under way; the others run into a deadline. */
const LUCKY = 0.2;

/**
 * Writes what all connections ask for: waiting requests are committed together, then acknowledged. For tests, it emits `taken`
 * with each request that it takes, and `written` with the request, its outcome and its place in the order.
 */
export class Writer extends EventEmitter {
  /** The number of appends that were carried out, whatever their outcome. */
  count = 0;
  /** The number of appends that came while the same one was under way. */
  duplicates = 0;
  readonly #underWay = new Map<string, ((outcome: Outcome) => void)[]>();
  /** The server writes once more, and dies of it before it answers. */
  diesOfNext: (() => void) | undefined;
  #frozen = false;
  /** Each writes, and returns the function that answers. */
  #waiting: (() => () => void)[] = [];

  constructor(
    private readonly store: Store,
    private readonly options: () => DoubleOptions,
  ) {
    super();
  }

  /** @returns false for one that is dropped: the server never answers it */
  append(request: AppendRequest, answer: (outcome: Outcome) => void): boolean {
    if (this.#frozen) return false;
    this.emit('taken', request);
    const { stream, expected, events } = request;
    const key = JSON.stringify([stream, expected, events[0]?.id]);
    const others = this.#underWay.get(key);
    if (others !== undefined) {
      this.duplicates += 1;
      const lucky = Math.random() < LUCKY;
      if (lucky) others.push(answer);
      return lucky;
    }
    const callers = [answer];
    this.#underWay.set(key, callers);
    this.write(() => {
      const outcome = this.store.append(stream, expected, events);
      return () => {
        this.#underWay.delete(key);
        this.count += 1;
        this.emit('written', request, outcome, this.count);
        for (const caller of callers) caller(outcome);
      };
    });
    return true;
  }

  /** Runs any other write in its turn. */
  write(one: () => () => void): void {
    if (this.#frozen) return;
    this.#waiting.push(one);
    if (this.#waiting.length > 1) return;
    const { latency } = this.options();
    if (latency === undefined) setImmediate(() => this.flush());
    else setTimeout(() => this.flush(), latency);
  }

  /** Commits everything that waits now. */
  flush(): void {
    const answers = this.#waiting.splice(0).map((write) => write());
    this.store.sync();
    const { diesOfNext } = this;
    if (diesOfNext !== undefined && answers.length > 0) {
      diesOfNext();
      this.diesOfNext = undefined;
    } else {
      for (const answer of answers) answer();
    }
  }

  /** Freezes the process after what it had taken: later requests are never written. */
  freeze(): void {
    this.flush();
    this.#frozen = true;
  }

  thaw(): void {
    this.#frozen = false;
  }

  /** The server has died: what waits is never written. */
  abandon(): void {
    this.#waiting = [];
    this.#underWay.clear();
  }
}
