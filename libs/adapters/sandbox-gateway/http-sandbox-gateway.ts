import { Agent, request } from 'node:http';
import type { z } from 'zod';
import { GatewayOutcomeUnknown, PaymentGateway, type Charge, type ChargeOutcome } from '#purchasing';
import { GatewayRefused } from './sandbox-gateway.js';
import { CANCELLATIONS, CANCELLED, CHARGED, CHARGES, REFUNDED, REFUNDS, REFUSED } from './wire.js';

/** The sandbox gateway in another process. Whatever keeps its answer away leaves the outcome unknown. */
export class HttpSandboxGateway extends PaymentGateway {
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

  override async refund(key: string, charged: { readonly key: string; readonly amount: number }): Promise<void> {
    await this.#call(REFUNDS, { key, charge: charged.key, amount: charged.amount }, REFUNDED);
  }

  override cancel(key: string): Promise<{ readonly refunded: boolean }> {
    return this.#call(CANCELLATIONS, { key }, CANCELLED);
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
    if (status >= 400 && status < 500) {
      const refused = REFUSED.safeParse(body);
      throw new GatewayRefused(refused.success ? refused.data.error : `the gateway answered ${status}`);
    }
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
