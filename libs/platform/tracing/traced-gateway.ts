import { traced, type Tracer } from '#eventsourcing';
import { PaymentGateway } from '#purchasing/ports';

/** Shows the calls to the gateway in traces: which kind, and how they ended. */
export class TracedGateway extends PaymentGateway {
  constructor(
    private readonly gateway: PaymentGateway,
    private readonly tracer: Tracer,
  ) {
    super();
  }

  override get name(): string {
    return this.gateway.name;
  }

  override charge(...parameters: Parameters<PaymentGateway['charge']>): ReturnType<PaymentGateway['charge']> {
    return traced(this.tracer, 'gateway charge', this.#kind(), async (span) => {
      const outcome = await this.gateway.charge(...parameters);
      span.set('holdfast.outcome', outcome.kind);
      return outcome;
    });
  }

  override refund(...parameters: Parameters<PaymentGateway['refund']>): ReturnType<PaymentGateway['refund']> {
    return traced(this.tracer, 'gateway refund', this.#kind(), () => this.gateway.refund(...parameters));
  }

  override cancel(...parameters: Parameters<PaymentGateway['cancel']>): ReturnType<PaymentGateway['cancel']> {
    return traced(this.tracer, 'gateway cancel', this.#kind(), () => this.gateway.cancel(...parameters));
  }

  #kind(): { readonly kind: 'client'; readonly attributes: Readonly<Record<string, string>> } {
    return { kind: 'client', attributes: { 'holdfast.gateway': this.name } };
  }
}
