import { Agent, request } from 'node:http';
import type { z } from 'zod';
import {
  GatewayOutcomeUnknown,
  GatewayRefused,
  PaymentGateway,
  type Charge,
  type ChargeOutcome,
  type Done,
} from '#purchasing';
import { CANCELLATIONS, CANCELLED, CHARGED, CHARGES, REFUNDED, REFUNDS, REFUSED } from './wire.js';

/** How the gateway refuses for good, with a word of its own; any other answer may come from somebody in between. */
const REFUSALS = [400, 422];

/** The sandbox gateway in another process. Whatever keeps its answer away leaves the outcome unknown. */
export class HttpSandboxGateway extends PaymentGateway {
  override readonly name = 'sandbox';
  readonly #agent = new Agent({ keepAlive: true });

  constructor(
    /** Where it is, without a slash at the end. */
    private readonly url: string,
    /** Milliseconds that a call waits for its answer. */
    private readonly timeout: number,
  ) {
    super();
  }

  override charge(key: string, { amount, card }: Charge): Promise<ChargeOutcome> {
    return this.#call(CHARGES, { key, amount, card }, CHARGED);
  }

  override refund(key: string, charged: { readonly key: string; readonly amount: number }): Promise<Done> {
    return this.#call(REFUNDS, { key, charge: charged.key, amount: charged.amount }, REFUNDED);
  }

  override async cancel(key: string): Promise<Done & { readonly amount: number }> {
    try {
      return await this.#call(CANCELLATIONS, { key }, CANCELLED);
    } catch (error) {
      // A key is all that it says: whoever refuses that has not closed the charge.
      if (error instanceof GatewayRefused) throw new GatewayOutcomeUnknown(error.message, { cause: error });
      throw error;
    }
  }

  /** Breaks off the calls under way. */
  close(): Promise<void> {
    this.#agent.destroy();
    return Promise.resolve();
  }

  async #call<T>(path: string, content: object, answer: z.ZodType<T>): Promise<T> {
    const { status, body } = await this.#send(path, JSON.stringify(content));
    if (status === 200) {
      const parsed = answer.safeParse(body);
      if (parsed.success) return parsed.data;
    }
    const refused = REFUSALS.includes(status) ? REFUSED.safeParse(body) : undefined;
    if (refused?.success) throw new GatewayRefused(refused.data.error);
    throw new GatewayOutcomeUnknown(`the gateway answered ${status}, which is no answer`);
  }

  #send(path: string, text: string): Promise<{ status: number; body: unknown }> {
    return new Promise((resolve, reject) => {
      const unknown = (error: Error): void =>
        reject(new GatewayOutcomeUnknown('the gateway gave no answer', { cause: error }));
      const asked = request(
        `${this.url}${path}`,
        {
          method: 'POST',
          agent: this.#agent,
          signal: AbortSignal.timeout(this.timeout),
          headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) },
        },
        (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('error', unknown);
          response.on('end', () =>
            resolve({ status: response.statusCode ?? 0, body: parsed(Buffer.concat(chunks).toString()) }),
          );
        },
      );
      asked.on('error', unknown);
      asked.end(text);
    });
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
