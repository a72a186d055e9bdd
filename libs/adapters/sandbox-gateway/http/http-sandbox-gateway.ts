import { Agent, request } from 'node:http';
import type { z } from 'zod';
import {
  GatewayOutcomeUnknown,
  GatewayRefused,
  OtherLedger,
  PaymentGateway,
  type Charge,
  type ChargeOutcome,
  type Done,
} from '#purchasing/ports';
import {
  CANCELLATIONS,
  CANCELLED,
  CHARGED,
  CHARGES,
  LARGEST_BODY,
  LEDGER,
  LEDGER_HEADER,
  NAMED,
  OTHER_LEDGER,
  REFUNDED,
  REFUNDS,
  REFUSED,
} from './wire.js';

/** Whoever begins something waits for the ledger's name: so many milliseconds at most. */
const NAME_WITHIN = 2_000;

/** How the gateway refuses for good, with a word of its own; any other answer may come from somebody in between. */
const REFUSALS = [400, 422];

/** The sandbox gateway in another process. Whatever keeps its answer away leaves the outcome unknown. */
export class HttpSandboxGateway extends PaymentGateway {
  override readonly name = 'sandbox';
  readonly #agent = new Agent({ keepAlive: true });
  /** The ledger that it named last. */
  #ledger: string | undefined;

  constructor(
    /** Where it is, without a slash at the end. */
    private readonly url: string,
    /** Milliseconds that a call waits for its answer. */
    private readonly timeout: number,
  ) {
    super();
  }

  override async ledger(): Promise<string | undefined> {
    const { status, body } = await this.#send('GET', LEDGER, { timeout: Math.min(this.timeout, NAME_WITHIN) });
    const named = status === 200 ? NAMED.safeParse(body) : undefined;
    // One of an earlier build knows no such call.
    if (named?.success !== true && status !== 404) throw noAnswer(status);
    this.#ledger = named?.data?.identity;
    return this.#ledger;
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
    const { status, body } = await this.#send('POST', path, { timeout: this.timeout, text: JSON.stringify(content) });
    if (status === 200) {
      const parsed = answer.safeParse(body);
      if (parsed.success) return parsed.data;
    }
    if (status === OTHER_LEDGER) throw new OtherLedger('the gateway keeps another ledger than before');
    const refused = REFUSALS.includes(status) ? REFUSED.safeParse(body) : undefined;
    if (refused?.success) throw new GatewayRefused(refused.data.error);
    throw noAnswer(status);
  }

  #send(
    method: 'GET' | 'POST',
    path: string,
    { timeout, text = '' }: { readonly timeout: number; readonly text?: string },
  ): Promise<{ status: number; body: unknown }> {
    const content = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) };
    const meant = this.#ledger === undefined ? {} : { [LEDGER_HEADER]: this.#ledger };
    return new Promise((resolve, reject) => {
      const unknown = (error: Error): void =>
        reject(new GatewayOutcomeUnknown('the gateway gave no answer', { cause: error }));
      const asked = request(
        `${this.url}${path}`,
        {
          method,
          agent: this.#agent,
          signal: AbortSignal.timeout(timeout),
          headers: method === 'GET' ? {} : { ...content, ...meant },
        },
        (response) => {
          const chunks: Buffer[] = [];
          let size = 0;
          response.on('data', (chunk: Buffer) => {
            size += chunk.length;
            if (size <= LARGEST_BODY) chunks.push(chunk);
            else response.destroy(new Error('the answer is too large'));
          });
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

function noAnswer(status: number): GatewayOutcomeUnknown {
  return new GatewayOutcomeUnknown(`the gateway answered ${status}, which is no answer`);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
