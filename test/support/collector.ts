import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { fieldsOf, hexOf, numberOf, textOf, type Field } from './protobuf.js';

/** A span that a collector received. */
export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  /** Empty for the first span of a trace. */
  readonly parentId: string;
  readonly name: string;
  /** 1: internal, 2: server, 3: client. */
  readonly kind: number;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[];
  /** 2 is a failure. */
  readonly status: number;
  /** Nanoseconds since 1970. */
  readonly began: bigint;
  readonly ended: bigint;
  readonly resource: Readonly<Record<string, unknown>>;
}

/** A collector of traces for specs: it takes OTLP over HTTP as protobuf, as the real exporter sends it. */
export class Collector {
  readonly spans: ReceivedSpan[] = [];
  /** The heads and bodies of all requests, in one piece. */
  readonly bodies: Buffer[] = [];
  readonly heads: IncomingHttpHeaders[] = [];
  /** Answers a request after it was read. */
  answer = (response: ServerResponse): void => void response.end();

  private constructor(private readonly server: Server) {}

  static async start(): Promise<Collector> {
    const server = createServer();
    const collector = new Collector(server);
    server.on('request', (request, response) => void collector.#take(request, response));
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return collector;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Everything that came, for a search. */
  get bytes(): Buffer {
    return Buffer.concat([...this.bodies, Buffer.from(JSON.stringify(this.heads))]);
  }

  /** Waits until such a span came. */
  async span(holds: (span: ReceivedSpan) => boolean): Promise<ReceivedSpan> {
    for (;;) {
      const found = this.spans.find(holds);
      if (found !== undefined) return found;
      await pause(20);
    }
  }

  stop(): Promise<void> {
    this.server.closeAllConnections();
    return new Promise((resolve) => this.server.close(() => resolve()));
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    this.heads.push(request.headers);
    this.bodies.push(body);
    if (request.method === 'POST' && request.url === '/v1/traces') this.spans.push(...spansIn(body));
    this.answer(response);
  }
}

/** The spans of an `ExportTraceServiceRequest` (opentelemetry/proto/collector/trace/v1). */
function spansIn(body: Buffer): ReceivedSpan[] {
  return messages(fieldsOf(body), 1).flatMap((resourceSpans) => {
    const [resource = []] = messages(resourceSpans, 1);
    const named = attributesIn(messages(resource, 1));
    return messages(resourceSpans, 2).flatMap((scopeSpans) =>
      messages(scopeSpans, 2).map((span) => ({ ...spanOf(span), resource: named })),
    );
  });
}

function spanOf(span: readonly Field[]): Omit<ReceivedSpan, 'resource'> {
  const field = (number: number): Field | undefined => span.find((each) => each.number === number);
  const [status = []] = messages(span, 15);
  return {
    traceId: hexOf(field(1)),
    spanId: hexOf(field(2)),
    parentId: hexOf(field(4)),
    name: textOf(field(5)),
    kind: Number(numberOf(field(6))),
    began: numberOf(field(7)),
    ended: numberOf(field(8)),
    attributes: attributesIn(messages(span, 9)),
    links: messages(span, 13).map((link) => ({
      traceId: hexOf(link.find(({ number }) => number === 1)),
      spanId: hexOf(link.find(({ number }) => number === 2)),
    })),
    status: Number(numberOf(status.find(({ number }) => number === 3))),
  };
}

function messages(fields: readonly Field[], number: number): (readonly Field[])[] {
  return fields.flatMap((field) =>
    field.number === number && field.value instanceof Buffer ? [fieldsOf(field.value)] : [],
  );
}

/** Those that are texts, numbers and switches. */
function attributesIn(attributes: readonly (readonly Field[])[]): Record<string, unknown> {
  return Object.fromEntries(
    attributes.map((attribute) => {
      const [value = []] = messages(attribute, 2);
      return [textOf(attribute.find(({ number }) => number === 1)), valueOf(value[0])];
    }),
  );
}

/** An `AnyValue`. */
function valueOf(value: Field | undefined): unknown {
  if (value?.number === 1) return textOf(value);
  if (value?.number === 2) return numberOf(value) === 1n;
  if (value?.number === 3) return Number(numberOf(value));
  if (value?.number === 4 && typeof value.value === 'bigint')
    return new Float64Array(new BigUint64Array([value.value]).buffer)[0];
  return undefined;
}
