import { isUtf8 } from 'node:buffer';
import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { UnsupportedMediaTypeException } from '@nestjs/common';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { CALL_PATIENCE, type Freshness, newCommandId, type Randomness, Shown, withCallDeadline } from '#eventsourcing';
import type { Position } from '#kernel';
import { isOpen } from './access.js';
import { guardAnswer } from './answer-headers.js';
import type { AsOfHeader } from './as-of.js';
import { formOf, objectOf } from './bodies.js';
import { BODY_LIMITS, HEADERS, LONGEST_IN_PATH, MOST_HEADERS, WRITTEN } from '#kernel/bounds';
import { NOBODY, remember } from './call.js';
import { isEncoded, type AccessCheck } from './access-check.js';
import { plain, Refused } from './errors.js';
import type { CrossOrigin } from './cross-origin.js';
import { closeGracefully, isLast, isUnread, discardBody } from './connection-closing.js';
import { isConfidential, isSafe } from './https.js';
import { keepAnswer, type Keeping } from './idempotency.js';
import type { Credentials } from './credential-parameters.js';
import { credentialsInFormBody, credentialsInJson } from './credential-scan.js';
import { AS_OF, IGNORED, REPLAYED } from './headers.js';
import { LargeCalls } from './large-calls.js';
import { mergeParameters } from './merge-parameters.js';
import type { Listeners } from './connections/listeners.js';
import { boundUntaken } from './connections/untaken-answers.js';
import { originForm, queryOf } from './paths.js';
import type { Proxies } from './proxies.js';
import { ndjsonRequired } from './ndjson.js';
import { piecesOf, readBody } from './read-body.js';
import type { RouteBook } from './route-book.js';
import { routeOf } from './route-of.js';
import { sendTogether } from './send-together.js';
import { ignoredHeader, unusedIn } from './unused-parameters.js';
import { WaitingOnConnection } from './waiting-on-connection.js';

/** The parts that handle a call before its controller. */
export interface ServerParts {
  /** What keeping answers for repeats needs, and the time. */
  readonly keeping: Keeping;
  readonly randomness: Randomness;
  readonly freshness: Freshness;
  readonly proxies: Proxies;
  readonly routes: RouteBook;
  readonly accessCheck: AccessCheck;
  readonly listeners: Listeners;
  readonly crossOrigin: CrossOrigin;
  readonly asOf: AsOfHeader;
  /** When calls that are deprecated will be removed: a day, `YYYY-MM-DD`. */
  readonly sunset: string;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Set for a route that no controller has, and that authenticates its callers itself. */
    checksAccessItself?: boolean;
  }
}

/**
 * Adds the steps that every call has before and after Nest: HTTPS, authentication, body, position, stored answers. The service
 * parses a request only after it has authenticated the caller; for a public call it parses no query and no body.
 */
export function prepareServer(
  server: FastifyInstance,
  { keeping, randomness, freshness, proxies, routes, accessCheck, listeners, crossOrigin, asOf, sunset }: ServerParts,
): void {
  const { clock, time } = keeping;
  // A GET of the interface carries its parameters as JSON (interface 1).
  server.addHttpMethod('GET', { hasBody: true, overrideExisting: true });
  server.decorateRequest('call');
  server.decorateRequest('route');

  /** Whether the service reads a request's query and body. */
  const isRead = (request: FastifyRequest): boolean =>
    !request.is404 &&
    routeOf(request).config.checksAccessItself !== true &&
    !isOpen(accessCheck.factsOf(request)?.access);

  /** Whether a call is one of those that have connections of their own. */
  const isForOperators = (request: FastifyRequest): boolean => {
    const access = request.is404 ? undefined : accessCheck.factsOf(request)?.access;
    return access === 'operator' || access === 'auditor' || FOR_OPERATORS.test(routeOf(request).url ?? '');
  };

  // Fastify closes the connection if a parser throws, and a new one costs more than the refusal: so the error is thrown later.
  const unreadable = new WeakMap<FastifyRequest, Error>();
  const orLater =
    (parse: (request: FastifyRequest) => Promise<unknown>) =>
    (request: FastifyRequest): Promise<unknown> =>
      parse(request).catch((error: unknown) => void unreadable.set(request, error as Error));

  const largeCalls = new LargeCalls(time);
  /** The answers to requests that may have a large body. */
  const answers = new WeakMap<FastifyRequest, ServerResponse>();

  const bodyWith = (credentialsIn: (body: Buffer) => Credentials, parse: (body: string) => unknown) =>
    orLater(async (request) => {
      if (!isRead(request)) return undefined;
      const { bodyLimit = BODY_LIMITS.usual, lines = false } = accessCheck.factsOf(request) ?? {};
      if (lines) throw ndjsonRequired();
      if (isEncoded(request)) throw coded();
      const isStranger = accessCheck.isWaiting(request);
      const { unfinished } = listeners.of(request.raw.socket);
      const body = await readBody(
        request.raw,
        { most: bodyLimit, beyond: () => accessCheck.checkBody(request, {}), room: unfinished.of(isStranger) },
        time,
      );
      if (accessCheck.isWaiting(request)) await accessCheck.checkBody(request, credentialsIn(body));
      // Without a length in the head, it was counted as the largest.
      if (request.headers['content-length'] === undefined) request.call.command.meter?.wrote(body.length - bodyLimit);
      const answer = answers.get(request);
      if (answer !== undefined && body.length > WRITTEN.free && request.call.caller.kind === 'partner')
        await largeCalls.turn(request.call.caller.id, answer);
      if (!isUtf8(body)) throw new Refused(400, 'validation_failed', 'the body is not UTF-8');
      return parse(body.toString());
    });
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('application/json', bodyWith(credentialsInJson, objectOf));
  server.addContentTypeParser(
    'application/x-www-form-urlencoded',
    bodyWith(credentialsInFormBody, (body) => formOf(body, 'form')),
  );
  // A call that takes lines reads them one by one, without a limit. Any other content type is refused.
  server.addContentTypeParser(
    '*',
    orLater(async (request) => {
      if (!isRead(request)) return undefined;
      const type = request.headers['content-type'] ?? '';
      if (isEncoded(request)) throw coded();
      if (accessCheck.factsOf(request)?.lines !== true) throw new UnsupportedMediaTypeException();
      if (!LINES.test(type)) throw ndjsonRequired();
      return piecesOf(request.raw, time);
    }),
  );

  const deprecation = { deprecation: DEPRECATED_SINCE, sunset: new Date(sunset).toUTCString() };
  server.addHook('onRequest', async (request, reply) => {
    if (accessCheck.factsOf(request)?.deprecated === true) void reply.headers(deprecation);
    const commandId = newCommandId(clock.now(), randomness);
    const { at, shares } = listeners.of(request.raw.socket);
    request.call = {
      path: originForm(request.originalUrl).split('?', 1)[0] ?? '/',
      at: at === 'admin' && !isConfidential(request, proxies) ? 'public' : at,
      caller: NOBODY,
      command: { commandId, correlation: request.id, actor: 'nobody' },
      position: undefined,
      shown: new Shown(),
      form: asOf.present,
      record: undefined,
      secrets: [],
      since: positionOf(request.headers['holdfast-position']),
      unused: undefined,
      parameters: {},
    };
    if (mayBeLarge(request)) answers.set(request, reply.raw);
    if (shares.isReserved(request.raw.socket) && !isForOperators(request)) {
      throw new Refused(503, 'unavailable', 'the service has no more connections', {
        connection: 'close',
        'retry-after': '1',
      });
    }
    if (!isSafe(request, proxies)) {
      const { status, body } = plain(
        403,
        'https_required',
        'use HTTPS: plain HTTP works only from the machine that runs the service',
      );
      return reply.status(status).send(body);
    }
    // Node drops headers beyond its own limit.
    if (request.raw.rawHeaders.length > 2 * MOST_HEADERS)
      throw new Refused(431, 'validation_failed', 'too many headers');
    const path = pathOf(request.url);
    if (!hasOneHost(request))
      throw new Refused(400, 'validation_failed', 'send one Host header', { connection: 'close' });
    if (request.is404 || routes.isMistaken(path, routeOf(request).url)) {
      const allowed = routes.methodsOf(path);
      if (allowed.length > 0 && request.method === 'OPTIONS') void reply.headers(crossOrigin.preflight(request, path));
      if (allowed.length > 0) return answerOtherMethod(request, reply, allowed);
    }
    // Fastify must not refuse the type of a body that is not read.
    if (!isRead(request)) delete request.headers['content-type'];
    if (!request.is404 && routeOf(request).config.checksAccessItself !== true) await accessCheck.checkHead(request);
    return undefined;
  });

  // The next two hooks seldom wait, so they return no promise: that would cost each call another turn of the microtasks.
  server.addHook('preValidation', (request, _reply, done) => {
    const fault = unreadable.get(request);
    if (fault !== undefined || !accessCheck.isWaiting(request)) {
      done(fault);
      return;
    }
    accessCheck.checkBody(request, {}).then(() => done(), done);
  });

  server.addHook('preHandler', (request, reply, done) => {
    request.params = cutInPath(request.params);
    if (isRead(request)) {
      const body = request.body instanceof Readable ? undefined : request.body;
      const { call } = request;
      call.parameters = mergeParameters(formOf(queryOf(request.url), 'query string'), body);
      const takes = accessCheck.factsOf(request)?.takes;
      if (takes !== undefined) call.unused = unusedIn(call.parameters, takes);
      // Whoever asks for the past must not take the present for it.
      if (takes !== undefined && 'as_of' in call.parameters && !takes.has('as_of')) {
        done(new Refused(422, 'validation_failed', NO_PAST));
        return;
      }
      if (call.unused !== undefined) void reply.header(IGNORED, ignoredHeader(call.unused));
    }
    done();
  });

  // From here on, all waits of a call share one time limit.
  server.addHook('preHandler', (request, _reply, done) =>
    withCallDeadline(
      time,
      () => done(),
      CALL_PATIENCE,
      new WaitingOnConnection(request.call.caller, request.raw.socket),
      request.call.shown,
      request.trace.span,
    ),
  );

  for (const { connections } of listeners.all) boundUntaken(server, connections, time);

  server.addHook('onSend', (request, reply, payload, done) => {
    guardAnswer(request, reply, isRead(request));
    crossOrigin.mark(request, reply);
    // An import streams its answer while it reads its body: it reads that body to the end itself.
    const isBeingRead = request.body instanceof Readable && payload instanceof Readable;
    if (!isBeingRead && isUnread(request.raw) && (isLast(reply.raw) || !discardBody(request.raw, time))) {
      void reply.header('connection', 'close');
      closeGracefully(request.raw, time);
    }
    done(null, payload);
  });

  server.addHook('onSend', (request, reply, payload, done) => {
    const { call } = request;
    if (call.position !== undefined) {
      void reply.header('holdfast-position', call.position.toString());
      remember(call, call.position, freshness);
    }
    const send = (): void => {
      if (call.record === undefined) {
        sendTogether(time, payload, done);
        return;
      }
      keepAnswer(keeping, call, reply, payload).then(
        (kept) => sendTogether(time, kept, done),
        (error: unknown) => done(error as Error),
      );
    };
    const shows = showsLog(request, reply) ? asOf.of(call.shown, call.position, call.form) : undefined;
    if (shows instanceof Promise) {
      shows.then((value) => {
        if (value !== undefined) void reply.header(AS_OF, value);
        send();
      }, done);
      return;
    }
    if (shows !== undefined) void reply.header(AS_OF, shows);
    send();
  });
}

/** Routes beside those of operators that have their connections. */
const FOR_OPERATORS = /^\/(health|console)(\/|$)/;

/** Whether an answer says as of when: a success for a partner, unless it is a kept one, which has its own. */
function showsLog({ call }: FastifyRequest, reply: FastifyReply): boolean {
  return call.caller.kind === 'partner' && reply.statusCode < 300 && !reply.hasHeader(REPLAYED);
}

/** A call that is deprecated has been so from the first version on: 2026-01-01 (RFC 9745). */
const DEPRECATED_SINCE = '@1767225600';

function coded(): Refused {
  return new Refused(415, 'validation_failed', 'send the body without a Content-Encoding');
}

/** Whether the body may have more bytes than are free for a call. */
function mayBeLarge({ headers }: FastifyRequest): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > WRITTEN.free;
}

const NO_PAST =
  'this call takes no as_of: GET /auditors/purchases/{id} answers as of a time, and the same for coupons, deals, users and card_links';

const LINES = /^application\/x-ndjson\s*(;|$)/i;

/** Answers a method that the path does not have: 405 with `Allow`; OPTIONS gets `Allow` as a success. */
function answerOtherMethod(request: FastifyRequest, reply: FastifyReply, allowed: readonly string[]): FastifyReply {
  const allow = allowed.join(', ');
  if (request.method === 'OPTIONS') return reply.status(204).header('allow', allow).send();
  throw new Refused(405, 'method_not_allowed', `use ${allow}`, { allow });
}

/** Cuts the parameters in a path to one character more than allowed: still unknown, but cheap to look up and to cache. */
function cutInPath(parameters: unknown): Readonly<Record<string, string>> {
  const all = (parameters ?? {}) as Readonly<Record<string, string>>;
  const parts = Object.entries(all);
  if (parts.every(([, part]) => part.length <= LONGEST_IN_PATH)) return all;
  return Object.fromEntries(parts.map(([name, part]) => [name, part.slice(0, LONGEST_IN_PATH + 1)]));
}

const HOST = 'host';

/** Whether a request names one host, as HTTP/1.1 must (RFC 9112, 3.2); HTTP/1.0 need not. */
function hasOneHost({ raw: { rawHeaders, httpVersion } }: FastifyRequest): boolean {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? '';
    if (name.length === HOST.length && name.toLowerCase() === HOST) hosts += 1;
  }
  return hosts === 1 || (hosts === 0 && httpVersion === '1.0');
}

function pathOf(url: string): string {
  const path = url.split('?', 1)[0] ?? '';
  if (!path.includes('%')) return path;
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}

/** The position that a caller sends back; 0, which waits for nothing, for any other text. */
function positionOf(header: string | string[] | undefined): Position {
  if (typeof header !== 'string' || header.length > HEADERS['Holdfast-Position'] || !/^\d+$/.test(header)) return 0n;
  return BigInt(header);
}
