import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import type { Engine } from '#eventsourcing';
import { newCommandId, type Position } from '#kernel';
import { formOf, jsonOf } from './bodies.js';
import { LONGEST_IN_PATH } from './bounds.js';
import { NOBODY, remember } from './call.js';
import { plain } from './errors.js';
import { isSafe } from './https.js';
import { keepAnswer } from './idempotency.js';
import { mergeParameters } from './merge-parameters.js';
import type { Proxies } from './proxies.js';

/** Request ids: unguessable in front, counted behind. */
export function requestIds(): () => string {
  const prefix = randomBytes(8).toString('hex');
  let next = 0;
  return () => `${prefix}-${(next++).toString(36)}`;
}

/** What every call has in common, before and after Nest: HTTPS, body, request id, position, kept answers. */
export function prepareServer(server: FastifyInstance, engine: Engine, proxies: Proxies): void {
  // A GET of the interface carries its parameters as JSON (interface 1).
  server.addHttpMethod('GET', { hasBody: true, overrideExisting: true });
  server.decorateRequest('call');

  // A body of any other type is refused: Fastify would take plain text, and nothing of it would be read.
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, body, done) => {
    taken(() => jsonOf(String(body)), done);
  });
  server.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, body, done) => {
    taken(() => formOf(String(body), 'form'), done);
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
    if (isSafe(request, proxies)) {
      done();
      return;
    }
    const { status, body } = plain(403, 'https_required', 'use HTTPS: plain HTTP is for this machine alone');
    void reply.status(status).send(body);
  });

  server.addHook('preHandler', (request, _reply, done) => {
    taken(
      () => {
        const body = request.body instanceof Readable ? undefined : request.body;
        return mergeParameters(formOf(queryOf(request.url), 'query string'), body);
      },
      (error, parameters) => {
        if (parameters !== undefined) request.call.parameters = parameters;
        request.params = cutInPath(request.params);
        done(error ?? undefined);
      },
    );
  });

  server.addHook('onSend', (request, reply, payload, done) => {
    const { call } = request;
    if (call.position !== undefined) {
      void reply.header('holdfast-position', call.position.toString());
      remember(call, call.position, engine.freshness);
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

/** Parses what a caller sent; what is refused is an error of the request, not of the server. */
function taken<T>(parse: () => T, done: (error: Error | null, value?: T) => void): void {
  let value: T;
  try {
    value = parse();
  } catch (error) {
    done(error as Error);
    return;
  }
  done(null, value);
}

/** What stands in a path is looked up, and remembered where it is: of what is too long to be there, so much that it still is. */
function cutInPath(given: unknown): Readonly<Record<string, string>> {
  const parts = Object.entries((given ?? {}) as Readonly<Record<string, string>>);
  return Object.fromEntries(parts.map(([name, part]) => [name, part.slice(0, LONGEST_IN_PATH + 1)]));
}

function queryOf(url: string): string {
  const start = url.indexOf('?');
  return start < 0 ? '' : url.slice(start + 1);
}

/** A position that a caller sends back; anything else asks for nothing. */
function positionOf(header: string | string[] | undefined): Position {
  return typeof header === 'string' && /^\d{1,19}$/.test(header) ? BigInt(header) : 0n;
}
