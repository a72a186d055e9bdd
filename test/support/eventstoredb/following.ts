import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import streams, { type ReadResp } from '@eventstore/db-client/generated/streams_pb.js';
import { tooSlow } from './errors.js';
import { checkpointMessage, eventMessage } from './messages.js';
import type { Node } from './node.js';
import type { Stored } from './store.js';

/** The events that may wait for a live subscriber of 23.10, and the milliseconds until it must make room. */
const [LIVE_BUFFER, SLOW_AFTER] = [32, 300];
/** The events that take the time of the option `searching`. */
const SEARCHED = 2_500;

/**
 * A subscription to all: first the events after a position, then new ones.
 * @param filter which events come, and after how many searched ones it tells how far it has come
 */
export async function* follow(
  { store, options: { version = '23.10', searching } }: Node,
  after: number,
  filter: { readonly passes: (event: Stored) => boolean; readonly every: number },
  signal: AbortSignal,
): AsyncGenerator<ReadResp> {
  const drops = version === '23.10';
  yield new streams.ReadResp().setConfirmation(new streams.ReadResp.SubscriptionConfirmation());
  // After the end 23.10 begins with the next event, even though that is below the position.
  let next = drops || after === Infinity ? Math.min(after + 1, store.end) : after + 1;
  let searched = 0;
  for (let live = false; ; live = true) {
    const burst = live ? store.all.length - store.indexFrom(next) : 0;
    // Of bursts to a fast consumer, 200 events were too many in a quarter of the tries, 1,000 nearly always.
    let room = drops && burst >= 200 && Math.random() < burst / 800 ? LIVE_BUFFER : Infinity;
    for (let event: Stored | undefined; (event = store.all[store.indexFrom(next)]) !== undefined;) {
      const offered = performance.now();
      next = event.position + 1;
      searched += 1;
      store.examined += 1;
      if (searching !== undefined && searched % SEARCHED === 0) await pause(searching, undefined, { signal });
      if (filter.passes(event)) yield eventMessage(event);
      if (searched % filter.every === 0) yield checkpointMessage(event);
      if (room-- === 0 || (drops && live && performance.now() - offered > SLOW_AFTER)) throw tooSlow();
    }
    // A burst makes a live subscription of later versions fall back to reading; only 26.1 says when it is live again.
    const fellBack = version === '26.1' && burst >= 200;
    if (!live || fellBack) yield new streams.ReadResp().setCaughtUp(new streams.ReadResp.CaughtUp());
    if (store.all[store.indexFrom(next)] === undefined) await once(store, 'committed', { signal });
  }
}
