import { createBullBoard } from '@bull-board/api';
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import { FastifyAdapter } from '@bull-board/fastify';
import type { Queue } from 'bullmq';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { StoreFailed } from '#eventsourcing';
import { answerTo, Refused } from '#http';
import { BOARD_PATH, guardBoard, type BoardGuard } from './board-guard.js';

/** The page runs only its own scripts; these add styles while they run. */
const POLICY = "default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; frame-ancestors 'none'";
/** A font that the page would load from another site. */
const FROM_ELSEWHERE = /<link href="https:[^>]*>/g;

export interface QueueBoard extends BoardGuard {
  readonly queues: readonly Queue[];
}

/**
 * Shows operators and auditors the jobs of each work list (Bull Board). It is read-only: a job is only a hint of an open row,
 * and another site must not make a browser with a saved password change anything. Call it after `prepareServer`.
 */
export function mountQueueBoard(server: FastifyInstance, { queues, ...guard }: QueueBoard): void {
  const adapter = new FastifyAdapter().setBasePath(BOARD_PATH);
  createBullBoard({
    queues: queues.map((queue) => new BullMQAdapter(queue, { readOnlyMode: true })),
    serverAdapter: adapter,
    options: { uiConfig: { boardTitle: 'Holdfast: work lists' } },
  });
  // An unexpected error here is a failure of Redis.
  adapter.setErrorHandler((error) => {
    const { status, body } = answerTo(error instanceof Refused ? error : new StoreFailed(error.message));
    // The board's type knows fewer statuses than it passes on.
    return { status: status as 500, body: { ...body } };
  });

  void server.register(
    (board, _, done) => {
      guardBoard(board, guard);
      board.addHook('preHandler', async (request) => {
        // The server does not parse the query string itself.
        request.query = Object.fromEntries(new URL(request.url, 'http://localhost').searchParams);
      });
      board.addHook('onSend', async (_request, reply, payload) => {
        void reply.headers({
          'content-security-policy': POLICY,
          'x-content-type-options': 'nosniff',
          'referrer-policy': 'no-referrer',
          'cache-control': 'no-store',
        });
        return typeof payload === 'string' && isPage(reply) ? payload.replaceAll(FROM_ELSEWHERE, '') : payload;
      });
      void board.register(adapter.registerPlugin());
      done();
    },
    { prefix: BOARD_PATH },
  );
}

function isPage(reply: FastifyReply): boolean {
  return String(reply.getHeader('content-type')).startsWith('text/html');
}
