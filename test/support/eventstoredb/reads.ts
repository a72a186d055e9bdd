import { once } from 'node:events';
import streams, { type ReadReq, type ReadResp } from '@eventstore/db-client/generated/streams_pb.js';
import { type ServerWritableStream, status } from '@grpc/grpc-js';
import { eventMessage, filterOf, streamName, streamNotFound } from './messages.js';
import type { DoubleOptions } from './options.js';
import type { Store, Stored } from './store.js';

type Call = ServerWritableStream<ReadReq, ReadResp>;

const { BACKWARDS } = streams.ReadReq.Options.ReadDirection;
const TOO_SLOW = 'Consumer too slow to handle event while live. Client resubscription required.';
const DROPPED = Object.assign(new Error(TOO_SLOW), { code: status.ABORTED });
/** So many events wait for a live subscriber, and so many milliseconds until it makes room. */
const [LIVE_BUFFER, SLOW_AFTER] = [32, 300];

/** Reads, and subscriptions to all streams. */
export class Reads {
  /** Those that are neither at their end nor left by the client. */
  readonly open = new Set<Call>();

  constructor(
    private readonly store: Store,
    private readonly options: () => DoubleOptions,
  ) {}

  async serve(call: Call): Promise<void> {
    const ending = new AbortController();
    const { signal } = ending;
    this.open.add(call);
    signal.addEventListener('abort', () => this.open.delete(call));
    call.once('close', () => ending.abort());
    const { dropEvery } = this.options();
    const drops = dropEvery !== undefined && call.request.getOptions()?.hasSubscription() === true;
    if (drops) setTimeout(() => ending.abort(), dropEvery);
    try {
      for await (const message of this.#messages(call.request, signal)) {
        if (!call.write(message)) await once(call, 'drain', { signal });
      }
      call.end();
    } catch (error) {
      call.emit('error', signal.aborted ? DROPPED : error);
    }
  }

  async *#messages(request: ReadReq, signal: AbortSignal): AsyncGenerator<ReadResp> {
    const { stream, all, count = 0, readDirection, subscription, filter } = request.toObject().options ?? {};
    const name = stream && streamName(stream);
    const events = name === undefined ? this.store.all : this.store.stream(name);
    if (name !== undefined && events.length === 0) yield streamNotFound(name);
    const position = all?.end === undefined ? Number(all?.position?.commitPosition ?? 0) : Infinity;
    const from = stream === undefined ? this.store.indexOf(position) : Number(stream.revision);
    if (from === undefined) {
      throw new Error(subscription ? 'Exception was thrown by handler.' : 'Unexpected ReadAllResult: Error');
    }
    // A subscription starts after the event at the position.
    if (subscription) yield* this.#following(all?.position ? from + 1 : from, filterOf(filter), signal);
    // A read backwards starts before it.
    const backwards = readDirection === BACKWARDS;
    const [first, end] = backwards ? [Math.max(0, from - Number(count)), from] : [from, from + Number(count)];
    const asked = events.slice(first, end);
    for (const event of backwards ? asked.reverse() : asked) yield eventMessage(event);
  }

  async *#following(start: number, passes: (event: Stored) => boolean, signal: AbortSignal): AsyncGenerator<ReadResp> {
    const { all } = this.store;
    let next = start;
    yield new streams.ReadResp().setConfirmation(new streams.ReadResp.SubscriptionConfirmation());
    for (let live = false; ; live = true) {
      const burst = live ? all.length - next : 0;
      // Of bursts to a fast consumer, 200 events were too many in a quarter of the tries, 1,000 nearly always.
      const last = burst >= 200 && Math.random() < burst / 800 ? next + LIVE_BUFFER : Infinity;
      for (let event = all[next]; event !== undefined; event = all[(next += 1)]) {
        const offered = performance.now();
        if (passes(event)) yield eventMessage(event);
        if (next === last || (live && performance.now() - offered > SLOW_AFTER)) throw DROPPED;
      }
      if (!live) yield new streams.ReadResp().setCaughtUp(new streams.ReadResp.CaughtUp());
      if (next >= all.length) await once(this.store, 'committed', { signal });
    }
  }
}
