import { Inject, type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Freshness, Time } from '#eventsourcing';
import type { Position } from '#kernel';
import { PATIENCE } from '#kernel/bounds';
import { requestOf } from './call.js';
import { Refused } from './errors.js';
import { answersAlways } from './paths.js';

/** What positions that callers send are compared with: the log. */
export interface Positions {
  /** Whether the log has come to a position. */
  reaches(position: Position): Promise<boolean>;
}

/** Injects it: an interface is gone when the program runs. */
export const Positions = Symbol('Positions');

/**
 * Makes a call wait until this process has received all events up to the caller's `Holdfast-Position`. So reads and commands
 * see what another process wrote for the caller. Refuses a position beyond the end of the log immediately, unless the log may not
 * be ours. Runs after authentication. Health checks and metrics answer in any state (ruling G11), and so never
 * wait.
 */
@Injectable()
export class PositionGuard implements CanActivate {
  constructor(
    private readonly freshness: Freshness,
    @Inject(Positions) private readonly positions: Positions,
    @Inject(Time) private readonly time: Time,
  ) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const { call, url } = requestOf(context);
    const { caller, since } = call;
    return since === 0n || caller.kind === 'nobody' || answersAlways(url) ? true : this.#until(since);
  }

  async #until(since: Position): Promise<boolean> {
    const { freshness } = this;
    if (!freshness.knows(since) && !(await this.#isInTheLog(since))) {
      throw new Refused(
        422,
        'validation_failed',
        'Holdfast-Position is ahead of the log: send the value from an earlier answer',
      );
    }
    await freshness.untilFollowed(since);
    return true;
  }

  /** Asks the log for each call: an answer to an earlier question may be older than what this caller has seen. */
  async #isInTheLog(position: Position): Promise<boolean> {
    try {
      const reaches = await Promise.race([
        this.positions.reaches(position),
        this.time.pause(PATIENCE.logHead, { ref: false }),
      ]);
      return reaches ?? true;
    } catch {
      // The log cannot answer, or is refused: the call waits as for any other position.
      return true;
    }
  }
}
