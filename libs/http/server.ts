import { isUtf8 } from 'node:buffer';
import { Readable } from 'node:stream';
import { UnsupportedMediaTypeException } from '@nestjs/common';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Engine, newCommandId, withinOneCall } from '#eventsourcing';
import type { Position } from '#kernel';
import { guardAnswer } from './answer-headers.js';
import { formOf, objectOf } from './bodies.js';
import { BODY_LIMITS, HEADERS, LONGEST_IN_PATH, MOST_HEADERS } from '#kernel/bounds';
import { NOBODY, remember } from './call.js';
import { isCoded, type Door } from './door.js';
import { plain, Refused } from './errors.js';
import { closeGently, isUnread, throwAway } from './farewell.js';
import { isSafe } from './https.js';
import { keepAnswer } from './idempotency.js';
import { keyInFormBody, keyInJson } from './keys-in.js';
import { mergeParameters } from './merge-parameters.js';
import { originForm, queryOf } from './paths.js';
import type { Proxies } from './proxies.js';
import { linesAlone } from './ndjson.js';
import { continueWhenRead, piecesOf, readBody } from './read-body.js';
import { refuseExpectations, refuseTunnels, type EarlyLog } from './refused-early.js';
import type { RouteBook } from './route-book.js';

/** What is put together in front of every call. */
export interface Entrance {
  readonly engine: Engine;
  readonly proxies: Proxies;
  readonly routes: RouteBook;
  readonly door: Door;
  /** Of what is refused before there is a request. */
  readonly early: EarlyLog;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** A route that no controller has, and that lets its callers in by itself. */
    ownDoor?: boolean;
  }
}

/**
 * What every call has in common, before and after Nest: HTTPS, who calls, body, request id, position, kept answers. Nothing is
 * parsed before it is known who calls, and nothing at all for who is not asked for a credential.
 */
export function prepareServer(server: FastifyInstance, { engine, proxies, routes, door, early }: Entrance): void {
  // A GET of the interface carries its parameters as JSON (interface 1).
  server.addHttpMethod('GET', { hasBody: true, overrideExisting: true });
  server.decorateRequest('call');
  continueWhenRead(server.server);
  refuseExpectations(server.server, early);
  refuseTunnels(server.server, early);

  /** Whether anything of a request is read beyond its head. */
  const isRead = (request: FastifyRequest): boolean =>
    !request.is404 && request.routeOptions.config.ownDoor !== true && door.factsOf(request)?.access !== 'public';

  // Fastify closes the connection of what fails in a parser: a new one would cost more than the refusal.
  const unreadable = new WeakMap<FastifyRequest, Error>();
  const orLater =
    (parse: (request: FastifyRequest) => Promise<unknown>) =>
    (request: FastifyRequest): Promise<unknown> =>
      parse(request).catch((error: unknown) => void unreadable.set(request, error as Error));

  const bodyWith = (keyIn: (body: Buffer) => string | undefined, parse: (body: string) => unknown) =>
    orLater(async (request) => {
      if (!isRead(request)) return undefined;
      const { bodyLimit = BODY_LIMITS.usual, lines = false } = door.factsOf(request) ?? {};
      if (lines) throw linesAlone();
      if (isCoded(request)) throw coded();
      const body = await readBody(request.raw, bodyLimit, () => door.atBody(request, undefined), engine.time);
      if (door.isWaiting(request)) await door.atBody(request, keyIn(body));
      if (!isUtf8(body)) throw new Refused(400, 'validation_failed', 'the body is not UTF-8');
      return parse(body.toString());
    });
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('application/json', bodyWith(keyInJson, objectOf));
  server.addContentTypeParser(
    'application/x-www-form-urlencoded',
    bodyWith(keyInFormBody, (body) => formOf(body, 'form')),
  );
  // Read line by line by whoever takes it, however long it is. A body of any other type is refused.
  server.addContentTypeParser(
    '*',
    orLater(async (request) => {
      if (!isRead(request)) return undefined;
      const type = request.headers['content-type'] ?? '';
      if (isCoded(request)) throw coded();
      if (door.factsOf(request)?.lines !== true) throw new UnsupportedMediaTypeException();
      if (!LINES.test(type)) throw linesAlone();
      return piecesOf(request.raw, engine.time);
    }),
  );

  server.addHook('onRequest', async (request, reply) => {
    const commandId = newCommandId(engine.clock.now(), engine.randomness);
    request.call = {
      path: originForm(request.originalUrl).split('?', 1)[0] ?? '/',
      caller: NOBODY,
      command: { commandId, correlation: request.id, actor: 'nobody' },
      resumed: false,
      position: undefined,
      record: undefined,
      secrets: [],
      since: positionOf(request.headers['holdfast-position']),
      parameters: {},
    };
    if (!isSafe(request, proxies)) {
      const { status, body } = plain(403, 'https_required', 'use HTTPS: plain HTTP is for this machine alone');
      return reply.status(status).send(body);
    }
    // Of more than these Node reads some alone.
    if (request.raw.rawHeaders.length > 2 * MOST_HEADERS)
      throw new Refused(431, 'validation_failed', 'too many headers');
    const path = pathOf(request.url);
    if (!hasOneHost(request))
      throw new Refused(400, 'validation_failed', 'send one Host header', { connection: 'close' });
    if (request.is404 || routes.isMistaken(path, request.routeOptions.url)) {
      const allowed = routes.methodsOf(path);
      if (allowed.length > 0) return answerOtherMethod(request, reply, allowed);
    }
    // What is not read has no type that it could be refused for.
    if (!isRead(request)) delete request.headers['content-type'];
    if (!request.is404 && request.routeOptions.config.ownDoor !== true) await door.atHead(request);
    return undefined;
  });

  server.addHook('preValidation', async (request) => {
    const fault = unreadable.get(request);
    if (fault !== undefined) throw fault;
    await door.atBody(request, undefined);
  });

  server.addHook('preHandler', async (request) => {
    request.params = cutInPath(request.params);
    if (!isRead(request)) return;
    const body = request.body instanceof Readable ? undefined : request.body;
    request.call.parameters = mergeParameters(formOf(queryOf(request.url), 'query string'), body);
  });

  // What a call waits for from here on, it waits for with one patience.
  server.addHook('preHandler', (_request, _reply, done) => withinOneCall(engine.time, () => done()));

  server.addHook('onSend', (request, reply, payload, done) => {
    guardAnswer(request, reply, isRead(request));
    // An answer that begins while its body is read leaves that to its reader, to the last byte.
    const isBeingRead = request.body instanceof Readable && payload instanceof Readable;
    if (!isBeingRead && isUnread(request.raw) && !throwAway(request.raw, engine.time)) {
      void reply.header('connection', 'close');
      closeGently(request.raw, engine.time);
    }
    done(null, payload);
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
      (sent) => done(null, sent),
      (error: unknown) => done(error as Error),
    );
  });
}

function coded(): Refused {
  return new Refused(415, 'validation_failed', 'send the body without a Content-Encoding');
}

const LINES = /^application\/x-ndjson\s*(;|$)/i;

/** A path that is there, asked with a method that it has not: what it has is told, to whoever asks for that too. */
function answerOtherMethod(request: FastifyRequest, reply: FastifyReply, allowed: readonly string[]): FastifyReply {
  const allow = allowed.join(', ');
  if (request.method === 'OPTIONS') return reply.status(204).header('allow', allow).send();
  throw new Refused(405, 'method_not_allowed', `use ${allow}`, { allow });
}

/** What stands in a path is looked up, and remembered where it is: of what is too long to be there, so much that it still is. */
function cutInPath(given: unknown): Readonly<Record<string, string>> {
  const parts = Object.entries((given ?? {}) as Readonly<Record<string, string>>);
  return Object.fromEntries(parts.map(([name, part]) => [name, part.slice(0, LONGEST_IN_PATH + 1)]));
}

/** Whether a request names one host, as HTTP/1.1 must (RFC 9112, 3.2); HTTP/1.0 need not. */
function hasOneHost({ raw: { rawHeaders, httpVersion } }: FastifyRequest): boolean {
  const hosts = rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host').length;
  return hosts === 1 || (hosts === 0 && httpVersion === '1.0');
}

function pathOf(url: string): string {
  const path = url.split('?', 1)[0] ?? '';
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}

/** A position that a caller sends back; anything else asks for nothing. */
function positionOf(header: string | string[] | undefined): Position {
  if (typeof header !== 'string' || header.length > HEADERS['Holdfast-Position'] || !/^\d+$/.test(header)) return 0n;
  return BigInt(header);
}
