import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { thisMachine } from '#adapters/machine';
import { parsedJson } from '#kernel';
import { GATEWAY_BODY } from '#kernel/bounds';
import { GatewayOutcomeUnknown, GatewayRefused } from '#purchasing/ports';
import type { SandboxGateway } from '../sandbox-gateway.js';
import {
  CANCELLATION,
  CANCELLATIONS,
  CHARGE,
  CHARGES,
  INSTALLATION_HEADER,
  LEDGER,
  LEDGER_HEADER,
  LINES,
  MARK_HEADER,
  markText,
  OTHER_LEDGER,
  parseMark,
  REFUND,
  REFUNDS,
} from './wire.js';

/** Random faults of the connection (ruling D8). */
export interface Mishaps {
  /** The most milliseconds added to an answer. */
  readonly delay: number;
  /** The share of lost answers, 0 to 1: the request is carried out, and the connection stays open without an answer. */
  readonly lose: number;
  /** The share of requests that arrive twice, 0 to 1. */
  readonly duplicate: number;
}

export interface ServerOptions {
  /** Its timeout is 0: if it does not answer, the connection stays open. */
  readonly gateway: SandboxGateway;
  readonly host: string;
  /** 0 means any free port. */
  readonly port: number;
  readonly mishaps: Mishaps;
  /** A number from 0 up to 1. */
  readonly random: () => number;
}

/** The sandbox gateway for other processes, over HTTP. */
export class SandboxServer {
  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {}

  static async listen(options: ServerOptions): Promise<SandboxServer> {
    const server = createServer((request, response) => {
      serve(options, request, response).catch(() => response.destroy());
    });
    server.listen(options.port, options.host);
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const host = options.host.includes(':') ? `[${options.host}]` : options.host;
    return new SandboxServer(server, `http://${host}:${port}`);
  }

  /** Takes no more calls, and breaks off those without an answer. */
  async close(): Promise<void> {
    const closed = once(this.server, 'close');
    this.server.close();
    this.server.closeAllConnections();
    await closed;
  }
}

interface Answer {
  readonly status: number;
  readonly body: object;
}

async function serve(options: ServerOptions, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { mishaps, random } = options;
  const body = await bodyOf(request);
  const early = await withoutDoing(options.gateway, request);
  if (early !== undefined) {
    answer(options.gateway, response, early);
    return;
  }
  const twice = random() < mishaps.duplicate;
  const [done] = await Promise.all([
    answerTo(options.gateway, request, body),
    ...(twice ? [answerTo(options.gateway, request, body)] : []),
  ]);
  if (done === 'none' || random() < mishaps.lose) return;
  if (mishaps.delay > 0) await thisMachine.time.pause(random() * mishaps.delay);
  answer(options.gateway, response, done);
}

function answer({ mark }: SandboxGateway, response: ServerResponse, { status, body }: Answer): void {
  const headers = { 'content-type': 'application/json', [MARK_HEADER]: markText(mark) };
  response.writeHead(status, headers).end(JSON.stringify(body));
}

/**
 * The answer before anything is done, without a fault: the name of the ledger, or that it is not the requested one or an
 * older copy of it.
 */
async function withoutDoing(
  gateway: SandboxGateway,
  { method, url, headers }: IncomingMessage,
): Promise<Answer | undefined> {
  const identity = await gateway.identity();
  const header = headers[MARK_HEADER];
  const known = typeof header === 'string' ? parseMark(identity, header) : undefined;
  const reached = known === undefined || (await gateway.reaches(known));
  if (method === 'GET' && url === LEDGER) return ok({ identity, mark: markText(gateway.mark), reached });
  const meant = headers[LEDGER_HEADER];
  if ((meant === undefined || meant === identity) && reached) {
    if (method !== 'GET' || url !== LINES) return undefined;
    if (known === undefined) return BROKEN;
    const { entries, end, more } = await gateway.linesAfter(known, installationIn(headers));
    return ok({ entries, end: markText(end), more });
  }
  return { status: OTHER_LEDGER, body: { error: reached ? 'another ledger' : 'an older ledger' } };
}

async function answerTo(gateway: SandboxGateway, request: IncomingMessage, body: unknown): Promise<Answer | 'none'> {
  try {
    const done = request.method === 'POST' ? await carryOut(gateway, request, body) : undefined;
    return done ?? { status: 404, body: { error: 'no such call' } };
  } catch (error) {
    if (error instanceof GatewayOutcomeUnknown) return 'none';
    if (error instanceof GatewayRefused) return { status: 422, body: { error: error.message } };
    throw error;
  }
}

async function carryOut(
  gateway: SandboxGateway,
  { url, headers }: IncomingMessage,
  body: unknown,
): Promise<Answer | undefined> {
  const by = installationIn(headers);
  switch (url) {
    case CHARGES: {
      const { success, data } = CHARGE.safeParse(body);
      return success ? ok(await gateway.charge(data.key, data, by)) : BROKEN;
    }
    case REFUNDS: {
      const { success, data } = REFUND.safeParse(body);
      if (!success) return BROKEN;
      return ok(await gateway.refund(data.key, { key: data.charge, amount: data.amount }, by));
    }
    case CANCELLATIONS: {
      const { success, data } = CANCELLATION.safeParse(body);
      return success ? ok(await gateway.cancel(data.key, by)) : BROKEN;
    }
    default:
      return undefined;
  }
}

/** The installation that asks; empty if it names none. */
function installationIn(headers: IncomingMessage['headers']): string {
  const named = headers[INSTALLATION_HEADER];
  return typeof named === 'string' ? named.slice(0, LONGEST_NAME) : '';
}

/** The most characters of an installation's name. */
const LONGEST_NAME = 200;

const BROKEN: Answer = { status: 400, body: { error: 'the request is broken' } };

function ok(body: object): Answer {
  return { status: 200, body };
}

/** The parsed body; undefined if it is too long or not JSON. */
async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size <= GATEWAY_BODY) chunks.push(chunk);
  }
  return size > GATEWAY_BODY ? undefined : parsedJson(Buffer.concat(chunks).toString());
}
