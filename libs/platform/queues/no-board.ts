import type { FastifyInstance } from 'fastify';
import { BOARD_PATH, guardBoard, type BoardGuard } from './board-guard.js';

const WORDS = `This service has no queues: it runs without Redis, and timers in this process start the work that is due.
GET /health/ready counts the work that keeps failing, as "stuck".
To see the jobs of each work list here, set REDIS_URL, such as redis://127.0.0.1:6379, and start the service again.
`;

/** Answers at the path of the queues that there are none, and which setting adds them. Call it after `prepareServer`. */
export function mountNoBoard(server: FastifyInstance, guard: BoardGuard): void {
  void server.register(
    (board, _, done) => {
      guardBoard(board, guard);
      board.get('/', async (_request, reply) =>
        reply
          .type('text/plain; charset=utf-8')
          .headers({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' })
          .send(WORDS),
      );
      done();
    },
    { prefix: BOARD_PATH },
  );
}
