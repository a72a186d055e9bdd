import { randomBytes } from 'node:crypto';

/** Request ids: unguessable in front, counted behind. */
export function requestIds(): () => string {
  const prefix = randomBytes(8).toString('hex');
  let next = 0;
  return () => `${prefix}-${(next++).toString(36)}`;
}
