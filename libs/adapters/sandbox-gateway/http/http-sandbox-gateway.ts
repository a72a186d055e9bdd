import { Agent, request, type RequestOptions } from 'node:http';
import type { z } from 'zod';
import { thisMachine } from '#adapters/machine';
import { presentSpan, traceparentOf } from '#eventsourcing/scheduling';
import type { Time } from '#eventsourcing';
import {
  GatewayOutcomeUnknown,
  GatewayRefused,
  OtherLedger,
  PaymentGateway,
  type Charge,
  type ChargeOutcome,
  type Done,
  type LedgerElsewhere,
  type LedgerPage,
} from '#purchasing/ports';
import type { LedgerMark } from '#eventsourcing/ports';
import { parsedJson } from '#kernel';
import { GATEWAY_BODY } from '#kernel/bounds';
import {
  CANCELLATIONS,
  CANCELLED,
  CHARGED,
  CHARGES,
  INSTALLATION_HEADER,
  LEDGER,
  LEDGER_HEADER,
  LINES,
  LINES_FOUND,
  MARK_HEADER,
  markText,
  NAMED,
  OTHER_LEDGER,
  parseMark,
  REFUNDED,
  REFUNDS,
  REFUSED,
} from './wire.js';

/** The longest wait for the ledger's name before a call, in milliseconds. */
const NAME_WITHIN = 2_000;

/** The statuses of a final refusal, which also has its own body; any other answer may come from something in between. */
const REFUSALS = [400, 422];

/** How Node reports that the other side has closed the connection. */
const CLOSED = ['ECONNRESET', 'EPIPE'];

/** The sandbox gateway in another process. Anything that keeps its answer away leaves the outcome unknown. */
export class HttpSandboxGateway extends PaymentGateway implements LedgerElsewhere {
  override readonly name = 'sandbox';
  readonly place = 'elsewhere';
  readonly #kept = new Agent({ keepAlive: true });
  /** For calls that are sent once more. */
  readonly #fresh = new Agent();
  #isClosed = false;
  /** The ledger that it named last. */
  #ledger: string | undefined;
  #mark: LedgerMark | undefined;

  constructor(
    /** The gateway's URL, without a slash at the end. */
    private readonly url: string,
    /** Milliseconds that a call waits for its answer. */
    private readonly timeout: number,
    /** The installation that its calls are for. */
    private readonly installation: string,
    private readonly time: Time = thisMachine.time,
  ) {
    super();
  }

  /** How far the ledger is known to be on disk, by the gateway's answers; undefined before the first one. */
  get mark(): LedgerMark | undefined {
    return this.#mark;
  }

  /** From now on each call requires a ledger that has come this far. */
  means(mark: LedgerMark | undefined): void {
    this.#mark = mark;
  }

  override get ledger(): LedgerElsewhere {
    return this;
  }

  async identity(): Promise<string> {
    return (await this.look(undefined)).mark.identity;
  }

  /**
   * Which ledger the gateway keeps, as `identity` returns it, how far it is on disk, and whether it has what is known of it.
   * @throws GatewayOutcomeUnknown
   */
  async look(known: LedgerMark | undefined): Promise<{ readonly mark: LedgerMark; readonly reached: boolean }> {
    const { status, body } = await this.#send('GET', LEDGER, {
      timeout: Math.min(this.timeout, NAME_WITHIN),
      headers: markHeader(known),
    });
    const named = status === 200 ? NAMED.safeParse(body) : undefined;
    const mark = named?.data && parseMark(named.data.identity, named.data.mark);
    if (named?.data === undefined || mark === undefined) throw noAnswer(status);
    this.#ledger = mark.identity;
    if (this.#mark?.identity !== this.#ledger) this.#mark = undefined;
    return { mark, reached: named.data.reached };
  }

  async linesAfter(mark: LedgerMark): Promise<LedgerPage> {
    const { status, body } = await this.#send('GET', LINES, {
      timeout: this.timeout,
      headers: { [LEDGER_HEADER]: mark.identity, ...markHeader(mark) },
    });
    if (status === OTHER_LEDGER) throw new OtherLedger('the gateway keeps another ledger, or an older copy');
    const found = status === 200 ? LINES_FOUND.safeParse(body).data : undefined;
    const end = found && parseMark(mark.identity, found.end);
    if (found === undefined || end === undefined) throw noAnswer(status);
    return { entries: found.entries, end, more: found.more };
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
      // The request contains only a key, so a refusal of it does not close the charge.
      if (error instanceof GatewayRefused) throw new GatewayOutcomeUnknown(error.message, { cause: error });
      throw error;
    }
  }

  /** Breaks off the calls under way, and sends nothing more. */
  close(): Promise<void> {
    this.#isClosed = true;
    this.#kept.destroy();
    this.#fresh.destroy();
    return Promise.resolve();
  }

  async #call<T>(path: string, content: object, answer: z.ZodType<T>): Promise<T> {
    const text = JSON.stringify(content);
    const meant: Record<string, string> = this.#ledger === undefined ? {} : { [LEDGER_HEADER]: this.#ledger };
    const { status, body, mark } = await this.#send('POST', path, {
      timeout: this.timeout,
      text,
      headers: { 'content-type': 'application/json', ...meant, ...markHeader(this.#mark) },
    });
    if (status === 200) {
      const parsed = answer.safeParse(body);
      if (parsed.success) {
        this.#came(mark);
        return parsed.data;
      }
    }
    if (status === OTHER_LEDGER)
      throw new OtherLedger('the gateway keeps another ledger than before, or an older copy');
    const refused = REFUSALS.includes(status) ? REFUSED.safeParse(body) : undefined;
    if (refused?.success) throw new GatewayRefused(refused.data.error);
    throw noAnswer(status);
  }

  /** Answers may overtake one another: the furthest one counts. */
  #came(text: string): void {
    const mark = this.#ledger === undefined ? undefined : parseMark(this.#ledger, text);
    if (mark !== undefined && mark.size > (this.#mark?.size ?? -1)) this.#mark = mark;
  }

  /**
   * The gateway may close a kept connection just when a call uses it again. Such a call is sent once more, on a connection of
   * its own: the gateway knows it by its key if it did arrive.
   */
  async #send(method: 'GET' | 'POST', path: string, { timeout, text = '', headers }: Sent): Promise<Answer> {
    if (this.#isClosed) throw new GatewayOutcomeUnknown('the gateway is closed');
    const signal = this.time.timeout(timeout);
    const span = presentSpan();
    const options = {
      method,
      signal,
      headers: {
        ...headers,
        [INSTALLATION_HEADER]: this.installation,
        ...(span !== undefined && { traceparent: traceparentOf(span.context) }),
        ...(method === 'GET' ? {} : { 'content-length': Buffer.byteLength(text) }),
      },
    };
    const url = `${this.url}${path}`;
    try {
      return await exchange(url, { ...options, agent: this.#kept }, text).catch((error: unknown) => {
        if (!(error instanceof KeptConnectionClosed) || this.#isClosed) throw error;
        return exchange(url, { ...options, agent: this.#fresh }, text);
      });
    } catch (error) {
      throw new GatewayOutcomeUnknown('the gateway gave no answer', { cause: error });
    }
  }
}

interface Sent {
  readonly timeout: number;
  readonly text?: string;
  readonly headers: Readonly<Record<string, string>>;
}

interface Answer {
  readonly status: number;
  readonly body: unknown;
  readonly mark: string;
}

/** A connection that had served an earlier call ended before anything of the answer came. */
class KeptConnectionClosed extends Error {}

/** @throws KeptConnectionClosed */
function exchange(url: string, options: RequestOptions, text: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const outgoing = request(url, options, (response) => {
      const chunks: Buffer[] = [];
      let size = 0;
      response.on('data', (chunk: Buffer) => {
        size += chunk.length;
        if (size <= GATEWAY_BODY) chunks.push(chunk);
        else response.destroy(new Error('the answer is too large'));
      });
      response.on('error', reject);
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          body: parsedJson(Buffer.concat(chunks).toString()),
          mark: String(response.headers[MARK_HEADER] ?? ''),
        }),
      );
    });
    outgoing.on('error', (error: NodeJS.ErrnoException) => {
      const wasClosed = outgoing.reusedSocket && CLOSED.includes(error.code ?? '');
      reject(wasClosed ? new KeptConnectionClosed(error.message, { cause: error }) : error);
    });
    outgoing.end(text);
  });
}

function markHeader(mark: LedgerMark | undefined): Readonly<Record<string, string>> {
  return mark === undefined ? {} : { [MARK_HEADER]: markText(mark) };
}

function noAnswer(status: number): GatewayOutcomeUnknown {
  return new GatewayOutcomeUnknown(`the gateway answered ${status}, which is not a valid answer`);
}
