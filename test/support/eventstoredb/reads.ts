import { once } from 'node:events';
import streams, { type ReadReq, type ReadResp } from '@eventstore/db-client/generated/streams_pb.js';
import type { ServerWritableStream } from '@grpc/grpc-js';
import { follow } from './following.js';
import { accessDenied, invalidPosition, streamDeleted, tooSlow, unexpected } from './errors.js';
import { checkpointsOf, eventMessage, filterOf, streamName, streamNotFound } from './messages.js';
import { type Node, refusalOf, requiresLeader } from './node.js';
import type { Store, Stored } from './store.js';

type Call = ServerWritableStream<ReadReq, ReadResp>;

const { BACKWARDS } = streams.ReadReq.Options.ReadDirection;

/** Reads, and subscriptions to all streams. */
export class Reads {
  /** Calls that are neither at their end nor left by the client. */
  readonly open = new Set<Call>();
  /** How many messages it has sent to readers. */
  sent = 0;

  constructor(private readonly node: Node) {}

  async serve(call: Call): Promise<void> {
    const ending = new AbortController();
    const { signal } = ending;
    this.open.add(call);
    signal.addEventListener('abort', () => this.open.delete(call));
    call.once('close', () => ending.abort());
    const { dropEvery } = this.node.options;
    const follows = call.request.getOptions()?.hasSubscription() === true;
    if (follows && dropEvery !== undefined) setTimeout(() => ending.abort(), dropEvery);
    try {
      const refusal = requiresLeader(call.metadata) ? refusalOf(this.node) : undefined;
      if (refusal !== undefined) throw refusal;
      const { denies } = this.node.options;
      if (denies === (follows ? 'subscriptions' : 'reads')) throw accessDenied();
      if (denies === '$all' && call.request.getOptions()?.hasAll() === true) throw accessDenied();
      for await (const message of this.#messages(call.request, signal)) {
        this.sent += 1;
        if (!call.write(message)) await once(call, 'drain', { signal });
      }
      call.end();
    } catch (error) {
      call.emit('error', signal.aborted ? tooSlow() : error);
    }
  }

  async *#messages(request: ReadReq, signal: AbortSignal): AsyncGenerator<ReadResp> {
    const { stream, all, count, readDirection, subscription, filter } = request.toObject().options ?? {};
    const backwards = readDirection === BACKWARDS;
    const { store } = this.node;
    if (subscription !== undefined && stream !== undefined) {
      throw unexpected('the double does not follow single streams');
    } else if (subscription !== undefined) {
      const after = all?.start !== undefined ? -1 : all?.end !== undefined ? Infinity : positionOf(all);
      if (store.inside(after) === 'an event') throw this.#inside('Exception was thrown by handler.');
      yield* follow(this.node, after, { passes: filterOf(filter), every: checkpointsOf(filter) }, signal);
    } else if (stream === undefined) {
      const from = all?.end === undefined ? (all?.start === undefined ? positionOf(all) : 0) : store.end;
      const passes = filterOf(filter);
      const inside = store.inside(from);
      // Inside the last event and after the end, a forward read finds nothing; a backward read does not begin there.
      if (inside === 'an event' || (backwards && (inside !== undefined || from > store.end)))
        throw this.#inside('Unexpected ReadAllResult: Error');
      for (const event of readAll(store, from, Number(count), backwards, passes)) yield eventMessage(event);
    } else {
      const name = streamName(stream);
      if (Number(count) <= 0) throw unexpected('Unexpected ReadStreamResult: Error');
      const from = stream.end === undefined ? (stream.start === undefined ? Number(stream.revision) : 0) : Infinity;
      const events = readStream(store, name, from, Number(count), backwards);
      if (events === 'deleted') throw streamDeleted(name);
      if (events === 'torn') throw unexpected('Unexpected ReadStreamResult: Error');
      if (events === undefined) yield streamNotFound(name);
      else for (const event of events) yield eventMessage(event);
    }
  }

  /** The answer to a position inside an event. */
  #inside(before26: string): Error {
    return this.node.options.version === '26.1' ? invalidPosition() : unexpected(before26);
  }
}

const positionOf = (all?: ReadReq.Options.AllOptions.AsObject): number => Number(all?.position?.commitPosition ?? 0);

function readStream(
  store: Store,
  name: string,
  from: number,
  count: number,
  backwards: boolean,
): ReturnType<Store['read']> {
  if (!backwards) return store.read(name, from, count);
  const events = store.read(name, 0);
  return typeof events === 'object'
    ? last(
        count,
        events.filter(({ revision }) => revision <= from),
      )
    : events;
}

/** The events that pass: forwards from an event, included; backwards from before it. */
function* readAll(
  store: Store,
  from: number,
  count: number,
  backwards: boolean,
  passes: (event: Stored) => boolean,
): Generator<Stored> {
  const { all } = store;
  const step = backwards ? -1 : 1;
  let left = count;
  for (let index = store.indexFrom(from) - (backwards ? 1 : 0); left > 0; index += step) {
    const event = all[index];
    if (event === undefined) return;
    store.examined += 1;
    if (!passes(event)) continue;
    left -= 1;
    yield event;
  }
}

const last = (count: number, events: readonly Stored[]): readonly Stored[] =>
  events.slice(Math.max(0, events.length - count)).reverse();
