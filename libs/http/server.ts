import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Engine } from '#eventsourcing';
import { newCommandId, type Position } from '#kernel';
import { writerOf, type Caller } from './call.js';
import { plain, Refused } from './errors.js';
import { keepAnswer } from './idempotency.js';
import { mergeParameters } from './merge-parameters.js';

const NOBODY: Caller = { kind: 'nobody' };

/** Request ids: unguessable in front, counted behind. */
export function requestIds(): () => string {
  const prefix = randomBytes(8).toString('hex');
  let next = 0;
  return () => `${prefix}-${(next++).toString(36)}`;
}

/** What every call has in common, before and after Nest: HTTPS, body, request id, position, kept answers. */
export function prepareServer(server: FastifyInstance, engine: Engine): void {
  // A GET of the interface carries its parameters as JSON (interface 1).
  server.addHttpMethod('GET', { hasBody: true, overrideExisting: true });
  server.decorateRequest('call');

  server.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, body, done) => {
    if (body === '') {
      done(null, undefined);
      return;
    }
    const { refused, value } = parsed(body as string);
    done(refused ?? null, value);
  });

  // Read line by line by whoever takes it, however long it is.
  server.addContentTypeParser('application/x-ndjson', (_request, body, done) => done(null, body));

  server.addHook('onRequest', (request, reply, done) => {
    const commandId = newCommandId(engine.clock.now());
    request.call = {
      path: request.originalUrl.split('?', 1)[0] ?? '/',
      caller: NOBODY,
      command: { commandId, correlation: request.id, actor: 'nobody' },
      resumed: false,
      position: undefined,
      record: undefined,
      secrets: [],
      since: positionOf(request.headers['holdfast-position']),
      parameters: {},
    };
    void reply.header('request-id', request.id);
    if (mayBePlain(request)) {
      done();
      return;
    }
    const { status, body } = plain(403, 'https_required', 'use HTTPS: plain HTTP is for this machine alone');
    void reply.status(status).send(body);
  });

  server.addHook('preHandler', (request, _reply, done) => {
    const body = request.body instanceof Readable ? undefined : request.body;
    request.call.parameters = mergeParameters(request.query, body);
    done();
  });

  server.addHook('onSend', (request, reply, payload, done) => {
    const { call } = request;
    if (call.position !== undefined) {
      void reply.header('holdfast-position', call.position.toString());
      const writer = writerOf(call.caller);
      if (writer !== undefined) engine.freshness.wrote(writer, call.position);
    }
    if (call.record === undefined) {
      done(null, payload);
      return;
    }
    keepAnswer(engine, call, reply, payload).then(
      () => done(null, payload),
      (error: unknown) => done(error as Error),
    );
  });
}

/** How deep a body may be nested. What is stored is written out again, level by level, on a stack that has an end. */
const LEVELS = 64;

/** A body's value, or the refusal of what is none. */
function parsed(body: string): { readonly refused?: Refused; readonly value?: unknown } {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    return { refused: new Refused(400, 'validation_failed', 'malformed JSON') };
  }
  if (!deeperThan(LEVELS, value)) return { value };
  return { refused: new Refused(400, 'validation_failed', `malformed JSON: more than ${LEVELS} levels`) };
}

function deeperThan(levels: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((part) => deeperThan(levels - 1, part));
}

/** Plain HTTP is served to this machine alone, and on health checks (ruling A3). */
function mayBePlain({ ip, url }: FastifyRequest): boolean {
  return /^(127\.|::1$|::ffff:127\.)/.test(ip) || url.startsWith('/health/');
}

/** A position that a caller sends back; anything else asks for nothing. */
function positionOf(header: string | string[] | undefined): Position {
  return typeof header === 'string' && /^\d{1,19}$/.test(header) ? BigInt(header) : 0n;
}
