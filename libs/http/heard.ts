import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Engine } from '#eventsourcing';
import type { Position } from '#kernel';
import { requestOf } from './call.js';
import { Refused } from './errors.js';

/** Milliseconds that the log has to tell where it ends. */
const PATIENCE = 2_000;

/**
 * Holds a call until this process has heard of everything up to the `Holdfast-Position` that its caller sends: what another
 * process wrote for them counts here too, in commands as in reads. A position that the log does not have is refused at once.
 * Runs after it is known who calls.
 */
@Injectable()
export class HeardGuard implements CanActivate {
  constructor(private readonly engine: Engine) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const { caller, since } = requestOf(context).call;
    if (since === 0n || caller.kind === 'nobody') return true;
    const { freshness } = this.engine;
    if (!freshness.knows(since) && !(await this.#isInTheLog(since))) {
      throw new Refused(
        422,
        'validation_failed',
        'Holdfast-Position is ahead of the log: send back what an answer gave',
      );
    }
    await freshness.untilHeard(since);
    return true;
  }

  /** Asked anew for each call: an answer that was on its way before may be older than what the caller has seen. */
  async #isInTheLog(position: Position): Promise<boolean> {
    try {
      const head = await Promise.race([this.engine.log.head(), this.engine.time.pause(PATIENCE, { ref: false })]);
      return head === undefined || position <= head;
    } catch {
      // Nobody can tell: the call waits as for any position, and is told so.
      return true;
    }
  }
}
