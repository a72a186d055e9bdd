import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import {
  type AccessCheck,
  type Authenticator,
  type BrowserSessions,
  type Caller,
  checkOwnPage,
  Refused,
  sessionCookie,
  sessionSecretOf,
} from '#http';
import { COOKIE_SECONDS, type ConsoleSessions } from './console-sessions.js';

type OperatorCaller = Extract<Caller, { kind: 'operator' }>;

/** What signing in and out needs. */
export interface SessionParts {
  readonly sessions: Pick<ConsoleSessions, 'begin' | 'end'>;
  /** Finds the holder of a token. */
  readonly operator: Authenticator['operator'];
  readonly isOwnHost: BrowserSessions['isOwnHost'];
  readonly accessCheck: Pick<AccessCheck, 'fail' | 'ofSession'>;
  readonly version: string;
}

/** Signing in to the console with a token, asking who is signed in, and signing out. */
export function sessionRoutes(routes: FastifyInstance, parts: SessionParts): void {
  const { sessions, operator, accessCheck, version } = parts;
  const answer = (reply: FastifyReply, { role, name }: OperatorCaller): FastifyReply =>
    reply.send({ status: 'success', name, role, version });

  routes.get('/session', async (request, reply) => {
    const caller = await accessCheck.ofSession(request);
    // Nobody is signed in yet: that is no failed credential.
    return caller === undefined
      ? reply.send({ status: 'success', name: null, role: null, version })
      : answer(reply, caller);
  });

  routes.post('/session', async (request, reply) => {
    // The session of another operator must not be put into a browser by another page.
    checkOwnPage(request, parts);
    const token = bearerOf(request);
    const caller = token === undefined ? undefined : await operator(token);
    if (caller === undefined) return accessCheck.fail(request, new Refused(401, 'auth_failed', WRONG_TOKEN));
    const secret = await sessions.begin(caller.credential);
    void reply.header('set-cookie', sessionCookie(request, secret, COOKIE_SECONDS));
    return answer(reply, caller);
  });

  routes.delete('/session', async (request, reply) => {
    checkOwnPage(request, parts);
    const secret = sessionSecretOf(request);
    if (secret !== undefined) await sessions.end(secret);
    return reply.header('set-cookie', sessionCookie(request, '', 0)).send({ status: 'success' });
  });
}

const WRONG_TOKEN =
  'this token is unknown, was revoked or has ended: data/operator.token has the one of the first start, and `holdfast tokens issue` makes others';

/** The token in `Authorization: Bearer`. */
function bearerOf({ headers: { authorization = '' } }: FastifyRequest): string | undefined {
  return /^Bearer (\S+)$/i.exec(authorization)?.[1];
}
