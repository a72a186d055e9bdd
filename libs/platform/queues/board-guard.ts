import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { answerTo, Refused, type AccessCheck, type Authenticator } from '#http';
import { credentialOf } from './credential.js';

/** The path where operators and auditors see the queues. */
export const BOARD_PATH = '/operators/queues';

/** The checks for operators and auditors. */
export interface BoardGuard {
  /** Finds the operator or auditor of a token. */
  readonly operator: Authenticator['operator'];
  readonly accessCheck: AccessCheck;
}

/** Lets operators and auditors see every route of a board, and nobody else. */
export function guardBoard(board: FastifyInstance, { operator, accessCheck }: BoardGuard): void {
  board.addHook('onRoute', (route) => {
    route.config = { ...route.config, checksAccessItself: true };
  });
  board.addHook('onRequest', async (request, reply) => {
    try {
      await letIn(request, operator, accessCheck);
    } catch (error) {
      await refuse(reply, error);
    }
  });
}

/**
 * Lets operators and auditors in (ruling G1): by token, by HTTP Basic with any name and the token as the password, or with a
 * session of the console.
 */
async function letIn(
  request: FastifyRequest,
  operator: BoardGuard['operator'],
  accessCheck: AccessCheck,
): Promise<void> {
  const token = credentialOf(request.headers.authorization);
  const caller = await (token === undefined ? accessCheck.ofSession(request) : operator(token));
  if (caller === undefined) {
    const words = 'send an operator’s or auditor’s token as a bearer token, or as the password of any name';
    const challenge = { 'www-authenticate': 'Basic realm="Holdfast"' };
    return accessCheck.fail(request, new Refused(401, 'auth_failed', words, challenge));
  }
  request.call.caller = caller;
}

function refuse(reply: FastifyReply, error: unknown): FastifyReply {
  const { status, headers, body } = answerTo(error);
  return reply.status(status).headers(headers).send(body);
}
