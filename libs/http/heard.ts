import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Engine } from '#eventsourcing';
import { requestOf } from './call.js';

/**
 * Holds a call until this process has heard of everything up to the `Holdfast-Position` that its caller sends: what another
 * process wrote for him counts here too, in commands as in reads. Runs after it is known who calls.
 */
@Injectable()
export class HeardGuard implements CanActivate {
  constructor(private readonly engine: Engine) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const { caller, since } = requestOf(context).call;
    if (since > 0n && caller.kind !== 'nobody') await this.engine.freshness.untilHeard(since);
    return true;
  }
}
