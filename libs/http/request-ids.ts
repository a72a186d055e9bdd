import type { Randomness } from '#eventsourcing';

/** Makes request ids: an unguessable prefix and a counter. */
export function requestIds(randomness: Pick<Randomness, 'hex'>): () => string {
  const prefix = randomness.hex(8);
  let next = 0;
  return () => `${prefix}-${(next++).toString(36)}`;
}
