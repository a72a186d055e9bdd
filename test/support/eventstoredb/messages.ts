import { createRequire } from 'node:module';
import shared, { type StreamIdentifier } from '@eventstore/db-client/generated/shared_pb.js';
import statuses from '@eventstore/db-client/generated/status_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import type {
  AppendResp,
  BatchAppendReq,
  BatchAppendResp,
  ReadReq,
  ReadResp,
} from '@eventstore/db-client/generated/streams_pb.js';
import type anyMessage from 'google-protobuf/google/protobuf/any_pb.js';
import type emptyMessage from 'google-protobuf/google/protobuf/empty_pb.js';
import { type Expected, NO_STREAM, TOMBSTONE } from './commit-check.js';
import type { Proposed } from './journal.js';
import type { Outcome, Stored } from './store.js';

// The runtime of the messages is inside the client's package.
const inClient = createRequire(createRequire(import.meta.url).resolve('@eventstore/db-client'));
const { Any } = inClient('google-protobuf/google/protobuf/any_pb.js') as typeof anyMessage;
const { Empty } = inClient('google-protobuf/google/protobuf/empty_pb.js') as typeof emptyMessage;

export const MAX_APPEND_SIZE = 1_048_576;
/** The server gives times in steps of 100 nanoseconds. */
const TICKS = 10_000n;

/** The stream of a request as a plain object, which has bytes in base64. */
export function streamName(options: { streamIdentifier?: StreamIdentifier.AsObject }): string {
  return Buffer.from(String(options.streamIdentifier?.streamName), 'base64').toString();
}

/** What a request expects of a stream, unless it says that the stream must be missing. */
export function expectedOf(options: { any?: object; streamExists?: object }, revision: string): Expected {
  if (options.any !== undefined) return 'any';
  return options.streamExists === undefined ? Number(revision) : 'exists';
}

export function proposed(message: BatchAppendReq.ProposedMessage.AsObject): Proposed {
  const { type = '', 'content-type': contentType = '' } = Object.fromEntries(message.metadataMap);
  const id = message.id?.string.toLowerCase() ?? '';
  return { id, type, contentType, data: String(message.data), metadata: String(message.customMetadata) };
}

/** The bytes that the server counts: only those of the data. */
export const sizeOf = (events: readonly Proposed[]): number =>
  events.reduce((sum, { data }) => sum + Buffer.byteLength(data, 'base64'), 0);

/** The events that a subscription's filter passes: those whose stream or type begins with a prefix, or matches. */
export function filterOf(filter?: ReadReq.Options.FilterOptions.AsObject): (event: Stored) => boolean {
  const { streamIdentifier: names, eventType: types } = filter ?? {};
  const [prefixes, pattern] = [(names ?? types)?.prefixList ?? [], new RegExp((names ?? types)?.regex ?? '')];
  return ({ stream, type }) => {
    const text = names === undefined ? type : stream;
    return prefixes.length > 0 ? prefixes.some((prefix) => text.startsWith(prefix)) : pattern.test(text);
  };
}

const UUID = /^(?!0{8}-0{4}-0{4}-0{4}-0{12})[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Whether the server would accept them at all: ids are UUIDs and not zero, streams and types have names. */
export const isSound = (stream: string, events: readonly Proposed[]): boolean =>
  stream !== '' && events.every(({ id, type }) => type !== '' && UUID.test(id));

export type Answer = Outcome | 'Timeout' | 'MaximumAppendSizeExceeded' | 'NotReady' | 'BadRequest' | 'AccessDenied';

export function answerTo(request: BatchAppendReq, outcome: Answer): BatchAppendResp {
  const identifier = request.getOptions()?.getStreamIdentifier();
  const answer = new streams.BatchAppendResp()
    .setCorrelationId(request.getCorrelationId())
    .setStreamIdentifier(identifier);
  const refused = (
    name: string,
    details: { serializeBinary(): Uint8Array },
    type = `event_store.client.${name}`,
  ): BatchAppendResp => {
    const any = new Any();
    any.pack(details.serializeBinary(), type);
    return answer.setError(new statuses.Status().setMessage(name).setDetails(any));
  };
  if (outcome === 'Timeout') return refused(outcome, new shared.Timeout());
  if (outcome === 'BadRequest') return refused(outcome, new shared.BadRequest());
  if (outcome === 'AccessDenied') return refused(outcome, new shared.AccessDenied());
  if (outcome === 'NotReady') return refused('Server Is Not Ready', new Empty(), 'google.protobuf.Empty');
  if (outcome === 'MaximumAppendSizeExceeded') {
    return refused(outcome, new shared.MaximumAppendSizeExceeded().setMaxappendsize(MAX_APPEND_SIZE));
  }
  if ('deleted' in outcome) {
    return refused('StreamDeleted', new shared.StreamDeleted().setStreamIdentifier(identifier));
  }
  if ('actual' in outcome) {
    const wrong = new shared.WrongExpectedVersion();
    // Without a current revision the stream is missing.
    if (outcome.actual >= 0) wrong.setCurrentStreamRevision(String(outcome.actual));
    const options = request.getOptions();
    if (options?.hasStreamPosition() === true) wrong.setExpectedStreamPosition(options.getStreamPosition());
    else if (options?.hasNoStream() === true) wrong.setExpectedNoStream(new Empty());
    else if (options?.hasStreamExists() === true) wrong.setExpectedStreamExists(new Empty());
    else wrong.setExpectedAny(new Empty());
    return refused('WrongExpectedVersion', wrong);
  }
  const success = new streams.BatchAppendResp.Success().setCurrentRevision(String(outcome.revision));
  if (outcome.position === undefined) return answer.setSuccess(success.setNoPosition(new Empty()));
  const place = String(outcome.position);
  const position = new shared.AllStreamPosition().setCommitPosition(place).setPreparePosition(place);
  return answer.setSuccess(success.setPosition(position));
}

export function appendSucceeded(outcome: {
  readonly revision: number;
  readonly position: number | undefined;
}): AppendResp {
  const success = new streams.AppendResp.Success().setCurrentRevision(String(outcome.revision));
  if (outcome.position === undefined) success.setNoPosition(new shared.Empty());
  else {
    const place = String(outcome.position);
    success.setPosition(new streams.AppendResp.Position().setCommitPosition(place).setPreparePosition(place));
  }
  return new streams.AppendResp().setSuccess(success);
}

export function appendRefused(expected: Expected, actual: number): AppendResp {
  const wrong = new streams.AppendResp.WrongExpectedVersion();
  if (actual === NO_STREAM) wrong.setCurrentNoStream(new shared.Empty());
  else wrong.setCurrentRevision(String(actual));
  if (expected === 'any') wrong.setExpectedAny(new shared.Empty());
  else if (expected === 'exists') wrong.setExpectedStreamExists(new shared.Empty());
  else if (expected === NO_STREAM) wrong.setExpectedNoStream(new shared.Empty());
  else wrong.setExpectedRevision(String(expected));
  return new streams.AppendResp().setWrongExpectedVersion(wrong);
}

export function eventMessage(event: Stored): ReadResp {
  const position = String(event.position);
  const recorded = new streams.ReadResp.ReadEvent.RecordedEvent()
    .setId(new shared.UUID().setString(event.id))
    .setStreamIdentifier(named(event.stream))
    .setStreamRevision(event.revision === TOMBSTONE ? '9223372036854775807' : String(event.revision))
    .setPreparePosition(position)
    .setCommitPosition(position)
    .setCustomMetadata(event.metadata)
    .setData(event.data);
  recorded
    .getMetadataMap()
    .set('type', event.type)
    .set('content-type', event.contentType)
    .set('created', String(BigInt(event.created) * TICKS));
  return new streams.ReadResp().setEvent(
    new streams.ReadResp.ReadEvent().setEvent(recorded).setCommitPosition(position),
  );
}

export function streamNotFound(name: string): ReadResp {
  const notFound = new streams.ReadResp.StreamNotFound().setStreamIdentifier(named(name));
  return new streams.ReadResp().setStreamNotFound(notFound);
}

const named = (name: string): StreamIdentifier => new shared.StreamIdentifier().setStreamName(Buffer.from(name));
