import { once } from 'node:events';
import streams, { type ReadResp } from '@eventstore/db-client/generated/streams_pb.js';
import { tooSlow } from './errors.js';
import { eventMessage } from './messages.js';
import type { Node } from './node.js';
import type { Stored } from './store.js';

/** The events that may wait for a live subscriber of 23.10, and the milliseconds until it must make room. */
const [LIVE_BUFFER, SLOW_AFTER] = [32, 300];

/** A subscription to all: first the events after a position, then new ones. */
export async function* follow(
  { store, options }: Node,
  after: number,
  passes: (event: Stored) => boolean,
  signal: AbortSignal,
): AsyncGenerator<ReadResp> {
  const drops = options.version !== '24.10';
  yield new streams.ReadResp().setConfirmation(new streams.ReadResp.SubscriptionConfirmation());
  // After the end it begins with the next event, even though that is below the position.
  let next = Math.min(after + 1, store.end);
  for (let live = false; ; live = true) {
    const burst = live ? store.all.length - store.indexFrom(next) : 0;
    // Of bursts to a fast consumer, 200 events were too many in a quarter of the tries, 1,000 nearly always.
    let room = drops && burst >= 200 && Math.random() < burst / 800 ? LIVE_BUFFER : Infinity;
    for (let event: Stored | undefined; (event = store.all[store.indexFrom(next)]) !== undefined;) {
      const offered = performance.now();
      next = event.position + 1;
      if (passes(event)) yield eventMessage(event);
      if (room-- === 0 || (drops && live && performance.now() - offered > SLOW_AFTER)) throw tooSlow();
    }
    if (!live) yield new streams.ReadResp().setCaughtUp(new streams.ReadResp.CaughtUp());
    if (store.all[store.indexFrom(next)] === undefined) await once(store, 'committed', { signal });
  }
}
