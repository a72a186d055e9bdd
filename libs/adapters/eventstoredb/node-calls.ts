import type { BatchAppendReq, BatchAppendResp, ReadReq, ReadResp } from '@eventstore/db-client/generated/streams_pb.js';
import streamsService from '@eventstore/db-client/generated/streams_grpc_pb.js';
import { type CallOptions, connectivityState, credentials, type Metadata } from '@grpc/grpc-js';
import { channelTo } from './channel.js';
import type { Connection, Host } from './connection-string.js';

/** A call that brings any number of answers. It ends once: with `error` or with `end`. */
export interface LongCall<Answer> {
  on(event: 'data', listener: (answer: Answer) => void): this;
  on(event: 'error', listener: (error: Error) => void): this;
  on(event: 'end', listener: () => void): this;
  /** Ends it with an error. */
  cancel(): void;
  pause(): void;
  resume(): void;
}

/** The call that carries appends, each with its own answer. */
export interface AppendCall extends LongCall<BatchAppendResp> {
  write(request: BatchAppendReq): void;
}

/**
 * The calls of one node over one connection, with the errors of gRPC. This is all that depends on a network: the choice of
 * the node and everything else is above.
 */
export interface NodeCalls {
  read(request: ReadReq, metadata: Metadata, options: CallOptions): LongCall<ReadResp>;
  /** The call ends with its connection: also when that takes no more calls, because later reads would use another one. */
  batchAppend(metadata: Metadata, options: CallOptions): AppendCall;
  /** Calls under way continue, and later ones throw. */
  close(): void;
}

/** Opens a connection to a node. It never fails: the calls do. */
export type Dial = (connection: Connection, host: Host) => NodeCalls;

/** Calls over gRPC. */
export const overGrpc: Dial = (connection, host) => {
  const channel = channelTo(connection, host);
  const streams = new streamsService.StreamsClient('', credentials.createInsecure(), { channelOverride: channel });
  return {
    read: (request, metadata, options) => streams.read(request, metadata, options),
    batchAppend(metadata, options) {
      const call = streams.batchAppend(metadata, options);
      const isLeft = (): void => void call.emit('error', new Error('the connection takes no more calls'));
      if (channel.getConnectivityState(false) === connectivityState.READY)
        channel.watchConnectivityState(connectivityState.READY, Infinity, isLeft);
      else queueMicrotask(isLeft);
      return call;
    },
    close: () => channel.close(),
  };
};
