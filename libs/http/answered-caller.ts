import type { ServerResponse } from 'node:http';
import type { WaitingCaller } from '#eventsourcing';
import type { Caller } from './call.js';

/** Who waits for an answer: all credentials of a partner, and of its users, are one caller (ruling I17). */
export class AnsweredCaller implements WaitingCaller {
  /** What outlives a call may keep this: an answer leads to its request, and so to its secrets (ruling D7). */
  readonly #answer: WeakRef<Pick<ServerResponse, 'destroyed'>>;

  constructor(
    private readonly caller: Caller,
    answer: Pick<ServerResponse, 'destroyed'>,
  ) {
    this.#answer = new WeakRef(answer);
  }

  get name(): string {
    const { kind } = this.caller;
    return kind === 'partner' ? `${kind}:${this.caller.id}` : kind;
  }

  /** Node ends an answer whose connection is closed. */
  get hasLeft(): boolean {
    return this.#answer.deref()?.destroyed !== false;
  }
}
