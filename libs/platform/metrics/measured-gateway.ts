import type { Time } from '#eventsourcing';
import { Durations } from '#kernel';
import { GatewayRefused, OtherLedger, PaymentGateway } from '#purchasing/ports';

export const GATEWAY_CALLS = ['charge', 'refund', 'cancel'] as const;
export type GatewayCall = (typeof GATEWAY_CALLS)[number];
/** What became of a call. `unknown`: no answer in time. `other-ledger`: the gateway uses another ledger, and did nothing. */
export const GATEWAY_OUTCOMES = [
  'approved',
  'declined',
  'done',
  'cancelled',
  'refused',
  'other-ledger',
  'unknown',
] as const;
export type GatewayOutcome = (typeof GATEWAY_OUTCOMES)[number];

/** How a process calls the payment gateway. */
export class GatewayFigures {
  readonly durations: Readonly<Record<GatewayCall, Durations>> = {
    charge: new Durations(),
    refund: new Durations(),
    cancel: new Durations(),
  };
  readonly all = new Durations();
  readonly #counts = new Map<string, number>();

  noted(call: GatewayCall, outcome: GatewayOutcome, milliseconds: number): void {
    this.durations[call].note(milliseconds);
    this.all.note(milliseconds);
    const key = `${call} ${outcome}`;
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
  }

  get counts(): readonly { readonly call: string; readonly outcome: string; readonly count: number }[] {
    return [...this.#counts].map(([key, count]) => {
      const [call = '', outcome = ''] = key.split(' ');
      return { call, outcome, count };
    });
  }
}

/** Counts the calls to a gateway, and how long they take. */
export class MeasuredGateway extends PaymentGateway {
  constructor(
    private readonly gateway: PaymentGateway,
    private readonly figures: GatewayFigures,
    private readonly time: Time,
  ) {
    super();
  }

  override get name(): string {
    return this.gateway.name;
  }

  override get ledger(): PaymentGateway['ledger'] {
    return this.gateway.ledger;
  }

  override usable(): Promise<void> {
    return this.gateway.usable();
  }

  override charge(...parameters: Parameters<PaymentGateway['charge']>): ReturnType<PaymentGateway['charge']> {
    return this.#measured(
      'charge',
      () => this.gateway.charge(...parameters),
      ({ kind }) => kind,
    );
  }

  override refund(...parameters: Parameters<PaymentGateway['refund']>): ReturnType<PaymentGateway['refund']> {
    return this.#measured(
      'refund',
      () => this.gateway.refund(...parameters),
      () => 'done',
    );
  }

  override cancel(...parameters: Parameters<PaymentGateway['cancel']>): ReturnType<PaymentGateway['cancel']> {
    return this.#measured(
      'cancel',
      () => this.gateway.cancel(...parameters),
      () => 'done',
    );
  }

  async #measured<T>(call: GatewayCall, ask: () => Promise<T>, outcome: (answer: T) => GatewayOutcome): Promise<T> {
    const began = this.time.monotonic();
    try {
      const answer = await ask();
      this.figures.noted(call, outcome(answer), this.time.monotonic() - began);
      return answer;
    } catch (error) {
      this.figures.noted(call, outcomeOf(error), this.time.monotonic() - began);
      throw error;
    }
  }
}

function outcomeOf(error: unknown): GatewayOutcome {
  if (error instanceof GatewayRefused) return 'refused';
  return error instanceof OtherLedger ? 'other-ledger' : 'unknown';
}
