import { createRequire } from 'node:module';
import shared, { type StreamIdentifier } from '@eventstore/db-client/generated/shared_pb.js';
import statuses from '@eventstore/db-client/generated/status_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import type { BatchAppendReq, BatchAppendResp, ReadReq, ReadResp } from '@eventstore/db-client/generated/streams_pb.js';
import type anyMessage from 'google-protobuf/google/protobuf/any_pb.js';
import type { Outcome, Proposed, Stored } from './store.js';

// The runtime of the messages lies inside the client's package.
const inClient = createRequire(createRequire(import.meta.url).resolve('@eventstore/db-client'));
const { Any } = inClient('google-protobuf/google/protobuf/any_pb.js') as typeof anyMessage;

export const MAX_APPEND_SIZE = 1_048_576;

/** Of a request as a plain object, in which bytes are in base64. */
export function streamName(options: { streamIdentifier?: StreamIdentifier.AsObject }): string {
  return Buffer.from(String(options.streamIdentifier?.streamName), 'base64').toString();
}

export function proposed(message: BatchAppendReq.ProposedMessage.AsObject): Proposed {
  const { type = '', 'content-type': contentType = '' } = Object.fromEntries(message.metadataMap);
  const id = message.id?.string.toLowerCase() ?? '';
  return { id, type, contentType, data: String(message.data), metadata: String(message.customMetadata) };
}

/** Which events a subscription lets pass: those of streams with one of the prefixes, or those whose type matches. */
export function filterOf(filter?: ReadReq.Options.FilterOptions.AsObject): (event: Stored) => boolean {
  const [prefixes, types] = [filter?.streamIdentifier?.prefixList, new RegExp(filter?.eventType?.regex ?? '')];
  return ({ stream, type }) => prefixes?.some((prefix) => stream.startsWith(prefix)) ?? types.test(type);
}

export type Answer = Outcome | 'Timeout' | 'MaximumAppendSizeExceeded';

export function answerTo(request: BatchAppendReq, outcome: Answer): BatchAppendResp {
  const answer = new streams.BatchAppendResp()
    .setCorrelationId(request.getCorrelationId())
    .setStreamIdentifier(request.getOptions()?.getStreamIdentifier());
  const refused = (name: string, details: { serializeBinary(): Uint8Array }): BatchAppendResp => {
    const any = new Any();
    any.pack(details.serializeBinary(), `event_store.client.${name}`);
    return answer.setError(new statuses.Status().setMessage(name).setDetails(any));
  };
  if (outcome === 'Timeout') return refused(outcome, new shared.Timeout());
  if (outcome === 'MaximumAppendSizeExceeded') {
    return refused(outcome, new shared.MaximumAppendSizeExceeded().setMaxappendsize(MAX_APPEND_SIZE));
  }
  if ('actual' in outcome) {
    const wrong = new shared.WrongExpectedVersion();
    // Without a current revision the stream is missing.
    if (outcome.actual >= 0) wrong.setCurrentStreamRevision(String(outcome.actual));
    return refused('WrongExpectedVersion', wrong);
  }
  const place = String(outcome.position);
  const position = new shared.AllStreamPosition().setCommitPosition(place).setPreparePosition(place);
  const success = new streams.BatchAppendResp.Success().setCurrentRevision(String(outcome.revision));
  return answer.setSuccess(success.setPosition(position));
}

export function eventMessage(event: Stored): ReadResp {
  const position = String(event.position);
  const recorded = new streams.ReadResp.ReadEvent.RecordedEvent()
    .setId(new shared.UUID().setString(event.id))
    .setStreamIdentifier(named(event.stream))
    .setStreamRevision(String(event.revision))
    .setPreparePosition(position)
    .setCommitPosition(position)
    .setCustomMetadata(event.metadata)
    .setData(event.data);
  recorded.getMetadataMap().set('type', event.type).set('content-type', event.contentType);
  return new streams.ReadResp().setEvent(new streams.ReadResp.ReadEvent().setEvent(recorded));
}

export function streamNotFound(name: string): ReadResp {
  const notFound = new streams.ReadResp.StreamNotFound().setStreamIdentifier(named(name));
  return new streams.ReadResp().setStreamNotFound(notFound);
}

const named = (name: string): StreamIdentifier => new shared.StreamIdentifier().setStreamName(Buffer.from(name));
