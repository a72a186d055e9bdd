import { createRequire } from 'node:module';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import streams, {
  type BatchAppendReq,
  type BatchAppendResp,
  type ReadReq,
  type ReadResp,
} from '@eventstore/db-client/generated/streams_pb.js';
import { convertGrpcRecord } from '@eventstore/db-client/dist/utils/convertGrpcEvent.js';
import { NO_STREAM } from '#eventsourcing';
import type { Instant } from '#kernel';
import type { OutgoingEvent, ServerEvent } from './server.js';

// The runtime of the messages is inside the client's package.
const inClient = createRequire(createRequire(import.meta.url).resolve('@eventstore/db-client'));
const { Timestamp } = inClient('google-protobuf/google/protobuf/timestamp_pb.js') as {
  readonly Timestamp: { fromDate(date: Date): NonNullable<ReturnType<BatchAppendReq.Options['getDeadline']>> };
};
const { Empty } = inClient('google-protobuf/google/protobuf/empty_pb.js') as {
  readonly Empty: new () => NonNullable<ReturnType<BatchAppendReq.Options['getNoStream']>>;
};

const { FORWARDS, BACKWARDS } = streams.ReadReq.Options.ReadDirection;
/** How many events the server searches at a time for those that pass a filter. */
const SEARCH_WINDOW = 1_000;
/** After how many windows the server reports how far it has searched. */
const CHECKPOINT_AFTER = 10;

/**
 * The time limit of an append: milliseconds from its arrival, whatever any clock shows; or an instant, which the server judges by
 * its own clock.
 */
export type Deadline = { readonly within: number } | { readonly instant: Instant };

/** An append whose time limit is a duration. The client's own messages know only instants. */
export class LimitedAppend extends streams.BatchAppendReq {
  /** @param within milliseconds */
  constructor(readonly within: number) {
    super();
  }

  override serializeBinary(): Uint8Array {
    const options = this.getOptions();
    if (options === undefined) return super.serializeBinary();
    this.clearOptions();
    const others = super.serializeBinary();
    this.setOptions(options);
    const limited = [options.serializeBinary(), fieldOf(DURATION, durationOf(this.within))];
    return Buffer.concat([fieldOf(OPTIONS, Buffer.concat(limited)), others]);
  }
}

/** Numbers of fields: the options of an append, and in them its time limit as a duration. */
const [OPTIONS, DURATION] = [2, 7];

/** @param id that the answer will carry */
export function appendMessage(
  id: string,
  stream: string,
  expected: number,
  events: readonly OutgoingEvent[],
  deadline: Deadline,
): BatchAppendReq {
  const options = new streams.BatchAppendReq.Options().setStreamIdentifier(named(stream));
  if (expected === NO_STREAM) options.setNoStream(new Empty());
  else options.setStreamPosition(String(expected));
  if ('instant' in deadline) options.setDeadline(Timestamp.fromDate(new Date(deadline.instant)));
  const request = 'within' in deadline ? new LimitedAppend(deadline.within) : new streams.BatchAppendReq();
  return request
    .setCorrelationId(new shared.UUID().setString(id))
    .setOptions(options)
    .setProposedMessagesList(events.map(proposed))
    .setIsFinal(true);
}

/** The id of the append that this message answers. */
export function answeredId(answer: BatchAppendResp): string {
  const id = answer.getCorrelationId();
  const structured = id?.getStructured();
  if (structured === undefined) return id?.getString().toLowerCase() ?? '';
  const half = (bits: string): string => BigInt.asUintN(64, BigInt(bits)).toString(16).padStart(16, '0');
  const digits = half(structured.getMostSignificantBits()) + half(structured.getLeastSignificantBits());
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/** A read of one stream, forwards. */
export function streamRead(stream: string, from: number, max: number): ReadReq {
  const of = new streams.ReadReq.Options.StreamOptions().setStreamIdentifier(named(stream)).setRevision(String(from));
  return request(options(FORWARDS).setStream(of).setCount(String(max)).setNoFilter(new shared.Empty()));
}

/** A read of all events, or only of streams whose names begin with one of these; 0n is the beginning. */
export function allRead(from: bigint, max: number, names: readonly string[] = []): ReadReq {
  return request(filtered(options(FORWARDS).setAll(placeOf(from)).setCount(String(max)), names));
}

/** The same backwards, from before a position or from the end. */
export function backwardsRead(before: bigint | undefined, max: number, names: readonly string[] = []): ReadReq {
  const all =
    before === undefined ? new streams.ReadReq.Options.AllOptions().setEnd(new shared.Empty()) : placeOf(before);
  return request(filtered(options(BACKWARDS).setAll(all).setCount(String(max)), names));
}

/** A subscription to the events after a position, of streams whose names begin with one of these. */
export function subscription(after: bigint, names: readonly string[]): ReadReq {
  const follows = new streams.ReadReq.Options.SubscriptionOptions();
  return request(filtered(options(FORWARDS).setAll(placeOf(after)).setSubscription(follows), names));
}

/** The event in an answer to a read, whatever it contains; undefined if the answer is another message. */
export function eventOf(answer: ReadResp): ServerEvent | undefined {
  const record = answer.getEvent()?.getEvent();
  if (record === undefined) return undefined;
  const { streamId: stream, revision, id, type, data, metadata, isJson, created } = convertGrpcRecord(record);
  return {
    stream,
    revision: Number(revision),
    position: BigInt(record.getCommitPosition()),
    id,
    type,
    data: isJson ? data : undefined,
    metadata: isJson ? metadata : undefined,
    created: created.getTime(),
    bytes: record.getData_asU8().length + record.getCustomMetadata_asU8().length,
  };
}

function request(of: ReadReq.Options): ReadReq {
  return new streams.ReadReq().setOptions(of);
}

function options(direction: ReadReq.Options.ReadDirection): ReadReq.Options {
  const ids = new streams.ReadReq.Options.UUIDOption().setString(new shared.Empty());
  return new streams.ReadReq.Options().setReadDirection(direction).setResolveLinks(false).setUuidOption(ids);
}

function placeOf(position: bigint): ReadReq.Options.AllOptions {
  const all = new streams.ReadReq.Options.AllOptions();
  if (position === 0n) return all.setStart(new shared.Empty());
  const digits = String(position);
  return all.setPosition(new streams.ReadReq.Options.Position().setCommitPosition(digits).setPreparePosition(digits));
}

function filtered(of: ReadReq.Options, names: readonly string[]): ReadReq.Options {
  if (names.length === 0) return of.setNoFilter(new shared.Empty());
  const begins = new streams.ReadReq.Options.FilterOptions.Expression().setPrefixList([...names]);
  const filter = new streams.ReadReq.Options.FilterOptions()
    .setStreamIdentifier(begins)
    .setMax(SEARCH_WINDOW)
    .setCheckpointintervalmultiplier(CHECKPOINT_AFTER);
  return of.setFilter(filter);
}

function proposed({ id, type, data, metadata }: OutgoingEvent): BatchAppendReq.ProposedMessage {
  const message = new streams.BatchAppendReq.ProposedMessage()
    .setId(new shared.UUID().setString(id))
    .setData(Buffer.from(JSON.stringify(data)));
  if (metadata !== undefined) message.setCustomMetadata(Buffer.from(JSON.stringify(metadata)));
  message.getMetadataMap().set('type', type).set('content-type', 'application/json');
  return message;
}

function named(stream: string): shared.StreamIdentifier {
  return new shared.StreamIdentifier().setStreamName(Buffer.from(stream));
}

/** A field of a message that holds another message, as bytes. */
function fieldOf(number: number, content: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from([(number << 3) | 2, ...varint(content.length)]), content]);
}

/** The message of a duration: seconds and nanoseconds. */
function durationOf(milliseconds: number): Buffer {
  const [seconds, nanos] = [Math.floor(milliseconds / 1_000), Math.floor((milliseconds % 1_000) * 1_000_000)];
  return Buffer.from([1 << 3, ...varint(seconds), 2 << 3, ...varint(nanos)]);
}

/** A whole number below 2³¹ in seven bits per byte. */
function varint(value: number): number[] {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 0x7f; rest >>>= 7) bytes.push((rest & 0x7f) | 0x80);
  bytes.push(rest);
  return bytes;
}
