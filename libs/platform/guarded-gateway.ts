import type { LogGuard } from '#eventsourcing';
import { PaymentGateway } from '#purchasing';

/**
 * Asks the gateway only while the log may be decided on: what a log says that is not ours, or not whole, moves no money.
 */
export class GuardedGateway extends PaymentGateway {
  constructor(
    private readonly gateway: PaymentGateway,
    private readonly guard: Pick<LogGuard, 'passed'>,
  ) {
    super();
  }

  override get name(): string {
    return this.gateway.name;
  }

  override async charge(...asked: Parameters<PaymentGateway['charge']>): ReturnType<PaymentGateway['charge']> {
    await this.guard.passed(`purchase-${asked[0]}`);
    return this.gateway.charge(...asked);
  }

  override async refund(...asked: Parameters<PaymentGateway['refund']>): ReturnType<PaymentGateway['refund']> {
    await this.guard.passed(`purchase-${asked[1].key}`);
    return this.gateway.refund(...asked);
  }

  override async cancel(...asked: Parameters<PaymentGateway['cancel']>): ReturnType<PaymentGateway['cancel']> {
    await this.guard.passed(`purchase-${asked[0]}`);
    return this.gateway.cancel(...asked);
  }
}
