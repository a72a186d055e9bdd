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
import type * as protobuf from 'google-protobuf';
import type anyMessage from 'google-protobuf/google/protobuf/any_pb.js';
import type emptyMessage from 'google-protobuf/google/protobuf/empty_pb.js';
import type { LimitedAppend } from '#adapters/eventstoredb';
import { type Expected, NO_STREAM, TOMBSTONE } from './commit-check.js';
import type { Proposed } from './journal.js';
import type { DoubleOptions } from './options.js';
import type { Outcome, Stored } from './store.js';

// The runtime of the messages is inside the client's package.
const inClient = createRequire(createRequire(import.meta.url).resolve('@eventstore/db-client'));
const { Any } = inClient('google-protobuf/google/protobuf/any_pb.js') as typeof anyMessage;
const { Empty } = inClient('google-protobuf/google/protobuf/empty_pb.js') as typeof emptyMessage;
const { BinaryWriter } = inClient('google-protobuf') as typeof protobuf;

const MIB = 1_048_576;
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

/** Which bound of a server an append exceeds, and the bound. */
export type Excess =
  | { readonly exceeds: 'append'; readonly most: number }
  | { readonly exceeds: 'event'; readonly most: number; readonly id: string; readonly bytes: number };

/**
 * The bound that an append exceeds. EventStoreDB counts only the data of all events; KurrentDB metadata and type as well.
 * @param isWhole false: only its first part has come, so it is larger than any bound
 */
export function excessOf(events: readonly Proposed[], options: DoubleOptions, isWhole = true): Excess | undefined {
  const isKurrent = options.version === '26.1';
  const { maxAppendSize = isKurrent ? 256 * MIB : MIB, maxAppendEventSize = isKurrent ? 16 * MIB : Infinity } = options;
  const sizes = events.map(({ data, metadata, type }) => {
    const bytes = Buffer.byteLength(data, 'base64');
    return isKurrent ? bytes + Buffer.byteLength(metadata, 'base64') + 2 * type.length : bytes;
  });
  const at = sizes.findIndex((bytes) => bytes > maxAppendEventSize);
  const [event, bytes] = [events[at], sizes[at]];
  if (event !== undefined && bytes !== undefined)
    return { exceeds: 'event', most: maxAppendEventSize, id: event.id, bytes };
  const all = sizes.reduce((sum, each) => sum + each, 0);
  return all > maxAppendSize || !isWhole ? { exceeds: 'append', most: maxAppendSize } : undefined;
}

/** The time limits of appends that are durations, in milliseconds, which the generated messages do not know. */
const durations = new WeakMap<BatchAppendReq, number>();

/** Reads an append, with its time limit. */
export function decodeAppend(bytes: Buffer): BatchAppendReq {
  const request = streams.BatchAppendReq.deserializeBinary(bytes);
  const options = messageIn(bytes, 2);
  const duration = options && messageIn(options, 7);
  if (duration !== undefined) durations.set(request, millisecondsIn(duration));
  return request;
}

/**
 * The milliseconds until an append is too late; 0 or less: it is already.
 * @param now by the server's clock, which counts only for a limit that is an instant
 */
export function timeLeftOf(request: BatchAppendReq, now: number): number {
  const within = durations.get(request) ?? (request as Partial<LimitedAppend>).within;
  return within ?? Number(request.getOptions()?.getDeadline()?.toDate()) - now;
}

/** The message in a field of another one; the last one, if there are several. */
function messageIn(bytes: Buffer, field: number): Buffer | undefined {
  let found: Buffer | undefined;
  for (let at = 0; at < bytes.length;) {
    const [tag, afterTag] = varintAt(bytes, at);
    const [value, afterValue] = (tag & 7) === 0 || (tag & 7) === 2 ? varintAt(bytes, afterTag) : [0, afterTag];
    const end = afterValue + ((tag & 7) === 2 ? value : (tag & 7) === 1 ? 8 : (tag & 7) === 5 ? 4 : 0);
    if (tag >> 3 === field && (tag & 7) === 2) found = bytes.subarray(afterValue, end);
    at = end;
  }
  return found;
}

/** A duration: seconds in field 1, nanoseconds in field 2. */
function millisecondsIn(duration: Buffer): number {
  let milliseconds = 0;
  for (let at = 0; at < duration.length;) {
    const [tag, afterTag] = varintAt(duration, at);
    const [value, end] = varintAt(duration, afterTag);
    milliseconds += tag >> 3 === 1 ? value * 1_000 : value / 1_000_000;
    at = end;
  }
  return milliseconds;
}

function varintAt(bytes: Buffer, from: number): readonly [value: number, end: number] {
  let [value, at] = [0, from];
  for (let factor = 1; ; factor *= 128) {
    const byte = Number(bytes[at++]);
    value += (byte & 0x7f) * factor;
    if (byte < 0x80) return [value, at];
  }
}

/** The events that a subscription's filter passes: those whose stream or type begins with a prefix, or matches. */
export function filterOf(filter?: ReadReq.Options.FilterOptions.AsObject): (event: Stored) => boolean {
  const { streamIdentifier: names, eventType: types } = filter ?? {};
  const [prefixes, pattern] = [(names ?? types)?.prefixList ?? [], new RegExp((names ?? types)?.regex ?? '')];
  return ({ stream, type }) => {
    const text = names === undefined ? type : stream;
    return prefixes.length > 0 ? prefixes.some((prefix) => text.startsWith(prefix)) : pattern.test(text);
  };
}

/** After how many searched events a subscription with this filter tells how far it has come. */
export function checkpointsOf(filter?: ReadReq.Options.FilterOptions.AsObject): number {
  return filter === undefined ? Infinity : (filter.max || 32) * Math.max(1, filter.checkpointintervalmultiplier);
}

const UUID = /^(?!0{8}-0{4}-0{4}-0{4}-0{12})[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Whether the server would accept them at all: ids are UUIDs and not zero, streams and types have names. */
export const isSound = (stream: string, events: readonly Proposed[]): boolean =>
  stream !== '' && events.every(({ id, type }) => type !== '' && UUID.test(id));

export type Answer = Outcome | Excess | 'Timeout' | 'NotReady' | 'TooBusy' | 'BadRequest' | 'AccessDenied' | 'Strange';

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
  if (outcome === 'TooBusy') return refused('Server Is Too Busy', new Empty(), 'google.protobuf.Empty');
  if (outcome === 'Strange') return refused('SomethingNew', new Empty());
  if ('exceeds' in outcome && outcome.exceeds === 'append') {
    return refused('MaximumAppendSizeExceeded', new shared.MaximumAppendSizeExceeded().setMaxappendsize(outcome.most));
  }
  if ('exceeds' in outcome)
    return refused('MaximumAppendEventSizeExceeded', { serializeBinary: () => eventExcess(outcome) });
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

/** The details of a refusal that the client has no message for: the event's id, its size, and the bound. */
function eventExcess({ id, bytes, most }: Extract<Excess, { exceeds: 'event' }>): Uint8Array {
  const writer = new BinaryWriter();
  writer.writeString(1, id);
  writer.writeUint32(2, bytes);
  writer.writeUint32(3, most);
  return writer.getResultBuffer();
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

/** The message how far a filtered subscription has searched. */
export function checkpointMessage({ position }: Stored): ReadResp {
  const place = String(position);
  const checkpoint = new streams.ReadResp.Checkpoint().setCommitPosition(place).setPreparePosition(place);
  return new streams.ReadResp().setCheckpoint(checkpoint);
}

export function streamNotFound(name: string): ReadResp {
  const notFound = new streams.ReadResp.StreamNotFound().setStreamIdentifier(named(name));
  return new streams.ReadResp().setStreamNotFound(notFound);
}

const named = (name: string): StreamIdentifier => new shared.StreamIdentifier().setStreamName(Buffer.from(name));
