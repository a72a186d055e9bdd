import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Time } from '#eventsourcing';
import { answerTo, Refused, sessionSecretOf } from '#http';
import { type Assets, readAssets } from './assets.js';
import { LiveValues } from './live.js';
import { sessionRoutes, type SessionParts } from './session-routes.js';

/** What the console needs of the service. */
export interface ConsoleParts extends SessionParts {
  /** `dist/console`, which the build makes. */
  readonly folder: URL;
  /** The values of this moment, which every open console shows. */
  readonly values: () => Promise<object>;
  readonly time: Pick<Time, 'after' | 'cancel' | 'monotonic'>;
}

/**
 * Adds the console to a server: its page, sessions, and the stream of live values. Call it after `prepareServer`.
 * @returns ends the streams: a stop must do so before it waits for connections
 */
export function mountConsole(server: FastifyInstance, parts: ConsoleParts): () => void {
  const live = new LiveValues(parts.values, parts.time);
  void server.register(
    (routes, _, done) => {
      routes.addHook('onRoute', (route) => {
        route.config = { ...route.config, checksAccessItself: true };
      });
      routes.setErrorHandler(refuse);
      // What is not static is never kept.
      routes.addHook('onRequest', async (_request, reply) => void reply.header('cache-control', 'no-store'));
      sessionRoutes(routes, parts);
      liveRoute(routes, live, parts);
      pageRoutes(routes, parts.folder);
      done();
    },
    { prefix: '/console' },
  );
  return () => live.close();
}

function refuse(error: unknown, _request: FastifyRequest, reply: FastifyReply): void {
  const { status, headers, body } = answerTo(error);
  void reply.status(status).headers(headers).send(body);
}

function liveRoute(routes: FastifyInstance, live: LiveValues, { accessCheck }: ConsoleParts): void {
  routes.get('/live', async (request, reply) => {
    const caller = await accessCheck.ofSession(request);
    if (caller === undefined) throw new Refused(401, 'auth_failed', SIGN_IN);
    request.call.caller = caller;
    const session = sessionSecretOf(request) ?? '';
    const stream = live.open(session, async () => (await accessCheck.ofSession(request)) !== undefined);
    reply.raw.once('close', () => stream.destroy());
    return reply.type('text/event-stream').header('x-accel-buffering', 'no').send(stream);
  });
}

const SIGN_IN = 'the session has ended: sign in again';

function pageRoutes(routes: FastifyInstance, folder: URL): void {
  let read: Assets | undefined;
  // Read at the first request: a start does not wait for it.
  const assets = (): Assets => (read ??= readAssets(folder));
  const page = (request: FastifyRequest, reply: FastifyReply): void => assets().page.send(request, reply);
  routes.get('/', page);
  // Each page of the console has its own address, which the script reads.
  routes.get('/*', page);
  routes.get('/assets/:name', (request, reply) => {
    const file = assets().files.get((request.params as { readonly name: string }).name);
    if (file === undefined) throw new Refused(404, 'find_failed', 'the console has no such file: load the page again');
    file.send(request, reply);
  });
}
