import type { Socket } from 'node:net';
import type { WaitingCaller } from '#eventsourcing';
import type { Caller } from './call.js';

/** Who waits for an answer: all credentials of a partner, and of its users, are one caller (ruling I17). */
export class WaitingOnConnection implements WaitingCaller {
  /**
   * @param connection not the answer: that would lead from what outlives a call to its request, and so to its secrets (ruling D7);
   * and a WeakRef to it would keep each call until the next full collection of garbage
   */
  constructor(
    private readonly caller: Caller,
    private readonly connection: Pick<Socket, 'destroyed'>,
  ) {}

  get name(): string {
    const { kind } = this.caller;
    return kind === 'partner' ? `${kind}:${this.caller.id}` : kind;
  }

  get hasLeft(): boolean {
    return this.connection.destroyed;
  }
}
