import { outsideCallDeadline, CALL_PATIENCE, timeLeft } from '#eventsourcing';
import { streamName } from '#kernel';
import type { LogGuard, LedgerWatch } from '#ownership';
import { purchase } from '#purchasing/model';
import { GatewayOutcomeUnknown, OtherLedger, PaymentGateway } from '#purchasing/ports';

/**
 * Calls the gateway only while decisions on the log are allowed, and while the gateway keeps the ledger that the log names. So a
 * log that is not ours or not whole moves no money, and a gateway that has forgotten its charges charges nobody.
 */
export class GuardedGateway extends PaymentGateway {
  constructor(
    private readonly gateway: PaymentGateway,
    private readonly guard: Pick<LogGuard, 'passed'>,
    private readonly watch: Pick<LedgerWatch, 'passed' | 'doubt'>,
  ) {
    super();
  }

  override get name(): string {
    return this.gateway.name;
  }

  /** A gateway that does not answer counts as usable: its caller can handle an unknown outcome. */
  override async usable(): Promise<void> {
    // If the log is not ours, not even the ledger's name may be written to it.
    await this.guard.passed(undefined, timeLeft(CALL_PATIENCE));
    try {
      await outsideCallDeadline(() => this.watch.passed());
    } catch (error) {
      if (!(error instanceof GatewayOutcomeUnknown)) throw error;
    }
  }

  override charge(...parameters: Parameters<PaymentGateway['charge']>): ReturnType<PaymentGateway['charge']> {
    return this.#ask(parameters[0], () => this.gateway.charge(...parameters));
  }

  override refund(...parameters: Parameters<PaymentGateway['refund']>): ReturnType<PaymentGateway['refund']> {
    return this.#ask(parameters[1].key, () => this.gateway.refund(...parameters));
  }

  override cancel(...parameters: Parameters<PaymentGateway['cancel']>): ReturnType<PaymentGateway['cancel']> {
    return this.#ask(parameters[0], () => this.gateway.cancel(...parameters));
  }

  async #ask<T>(purchaseId: string, call: () => Promise<T>): Promise<T> {
    const stream = streamName(purchase.category, purchaseId);
    await this.guard.passed(stream, timeLeft(CALL_PATIENCE));
    await outsideCallDeadline(() => this.watch.passed());
    // Asking for the ledger may have taken long.
    await this.guard.passed(stream, timeLeft(CALL_PATIENCE));
    try {
      return await outsideCallDeadline(call);
    } catch (error) {
      if (error instanceof GatewayOutcomeUnknown) this.watch.doubt();
      if (error instanceof OtherLedger) await this.watch.passed();
      throw error;
    }
  }
}
