import { setTimeout as pause } from 'node:timers/promises';
import type { Answer } from './running-service.js';

/** Milliseconds until views that are behind are a fault. A stand-in for MongoDB is slow. */
const PATIENCE = 240_000;

/** Sends a read again while the service asks for that (ruling A8), because the views are behind what was written. */
export async function onceCaughtUp(ask: () => Promise<Answer>): Promise<Answer> {
  const deadline = Date.now() + PATIENCE;
  for (;;) {
    const answer = await ask();
    const again = answer.status === 503 && answer.headers['retry-after'] !== undefined;
    if (!again || Date.now() > deadline) return answer;
    await pause(500);
  }
}
