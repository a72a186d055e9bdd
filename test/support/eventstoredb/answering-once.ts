import type { StreamsClient } from '@eventstore/db-client/generated/streams_grpc_pb.js';
import type { BatchAppendResp } from '@eventstore/db-client/generated/streams_pb.js';
import type { EventStoreDBClient } from '@eventstore/db-client';
import { parseUUID } from '@eventstore/db-client/dist/utils/grpcUUID.js';

type Listener = (...values: never[]) => void;
/** What the client opens its calls with; not part of its interface. */
interface Opening {
  GRPCStreamCreator(
    type: unknown,
    name: string,
    create: (streams: StreamsClient) => unknown,
    cache?: unknown,
  ): () => Promise<unknown>;
}

/**
 * Keeps second answers to an append from the official client. Servers give one to some of the appends that they refuse (an id
 * that is no UUID, an event without a type), and the client's handler throws at it, which ends the process.
 */
export function answeringOnce(client: EventStoreDBClient): EventStoreDBClient {
  const opening = client as unknown as Opening;
  const open = opening.GRPCStreamCreator.bind(client);
  opening.GRPCStreamCreator = (type, name, create, cache) =>
    open(type, name, (streams) => create(heardOnce(streams)), cache);
  return client;
}

function heardOnce(streams: StreamsClient): StreamsClient {
  const batchAppend: StreamsClient['batchAppend'] = (...parameters: never[]) => {
    const call = streams.batchAppend(...parameters);
    const on = call.on.bind(call) as (event: string, listener: Listener) => typeof call;
    const answered = new Set<string>();
    const once = (hear: Listener) => (answer: BatchAppendResp) => {
      const named = answer.getCorrelationId();
      const id = named === undefined ? '' : parseUUID(named);
      if (!answered.has(id)) hear(answer as never);
      answered.add(id);
    };
    call.on = ((event: string, listener: Listener) =>
      on(event, event === 'data' ? once(listener) : listener)) as typeof call.on;
    return call;
  };
  return Object.assign(Object.create(streams) as StreamsClient, { batchAppend });
}
