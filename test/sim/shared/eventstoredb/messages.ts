import shared from '@eventstore/db-client/generated/shared_pb.js';
import streams, {
  type BatchAppendReq,
  type ReadReq,
  type ReadResp,
} from '@eventstore/db-client/generated/streams_pb.js';
import type { OutgoingEvent, ServerEvent } from '#adapters/eventstoredb';
import type { Instant } from '#kernel';
import { NO_STREAM } from '../../../support/eventstoredb/commit-check.js';

const { BACKWARDS } = streams.ReadReq.Options.ReadDirection;
/** The server gives times in steps of 100 nanoseconds. */
const TICKS = 10_000n;
const JSON_TYPE = 'application/json';

/** What a read asks for. */
export type Asked =
  | { readonly of: 'stream'; readonly stream: string; readonly from: number; readonly max: number }
  | { readonly of: 'all'; readonly from: bigint; readonly max: number; readonly names: readonly string[] }
  | {
      readonly of: 'back';
      readonly before: bigint | undefined;
      readonly max: number;
      readonly names: readonly string[];
    };

/** What a subscription asks for; undefined for a read. */
export function subscriptionIn(
  request: ReadReq,
): { readonly after: bigint; readonly names: readonly string[] } | undefined {
  const options = request.getOptions();
  return options?.hasSubscription() === true ? { after: placeIn(options), names: namesIn(options) } : undefined;
}

export function readIn(request: ReadReq): Asked {
  const options = request.getOptions() as ReadReq.Options;
  const max = Number(options.getCount());
  const stream = options.getStream();
  if (stream !== undefined) {
    const name = textOf(stream.getStreamIdentifier()?.getStreamName_asU8());
    return { of: 'stream', stream: name, from: Number(stream.getRevision()), max };
  }
  const names = namesIn(options);
  if (options.getReadDirection() !== BACKWARDS) return { of: 'all', from: placeIn(options), max, names };
  const isFromEnd = options.getAll()?.hasEnd() === true;
  return { of: 'back', before: isFromEnd ? undefined : placeIn(options), max, names };
}

/** An append, as it was sent. */
export interface SentAppend {
  readonly stream: string;
  readonly expected: number;
  readonly events: readonly OutgoingEvent[];
  /** By the server's clock, if its time limit is an instant. */
  readonly until: Instant | undefined;
}

export function appendIn(request: BatchAppendReq): SentAppend {
  const options = request.getOptions() as BatchAppendReq.Options;
  return {
    stream: textOf(options.getStreamIdentifier()?.getStreamName_asU8()),
    until: options.getDeadline()?.toDate().getTime(),
    expected: options.hasNoStream() ? NO_STREAM : Number(options.getStreamPosition()),
    events: request.getProposedMessagesList().map((message) => {
      const metadata = textOf(message.getCustomMetadata_asU8());
      return {
        id: message.getId()?.getString() ?? '',
        type: message.getMetadataMap().get('type') ?? '',
        data: JSON.parse(textOf(message.getData_asU8())) as object,
        ...(metadata !== '' && { metadata: JSON.parse(metadata) as object }),
      };
    }),
  };
}

const messages = new WeakMap<ServerEvent, ReadResp>();

/** The message that brings an event: the same one for everybody, because nobody changes it. */
export function messageOf(event: ServerEvent): ReadResp {
  let message = messages.get(event);
  if (message === undefined) messages.set(event, (message = newMessage(event)));
  return message;
}

function newMessage({ stream, revision, position, id, type, data, metadata, created }: ServerEvent): ReadResp {
  const isJson = data !== null && data !== undefined;
  const at = String(position);
  const recorded = new streams.ReadResp.ReadEvent.RecordedEvent()
    .setId(new shared.UUID().setString(id))
    .setStreamIdentifier(new shared.StreamIdentifier().setStreamName(Buffer.from(stream)))
    .setStreamRevision(String(revision))
    .setPreparePosition(at)
    .setCommitPosition(at)
    .setCustomMetadata(metadata === undefined ? Buffer.alloc(0) : Buffer.from(JSON.stringify(metadata)))
    .setData(isJson ? Buffer.from(JSON.stringify(data)) : Buffer.alloc(0));
  recorded
    .getMetadataMap()
    .set('type', type)
    .set('content-type', isJson ? JSON_TYPE : 'application/octet-stream')
    .set('created', String(BigInt(created) * TICKS));
  return new streams.ReadResp().setEvent(new streams.ReadResp.ReadEvent().setEvent(recorded).setCommitPosition(at));
}

/** The first message of a subscription. */
export function confirmation(): ReadResp {
  return new streams.ReadResp().setConfirmation(new streams.ReadResp.SubscriptionConfirmation());
}

/** The message that everything which existed has come. */
export function caughtUp(): ReadResp {
  return new streams.ReadResp().setCaughtUp(new streams.ReadResp.CaughtUp());
}

function placeIn(options: ReadReq.Options): bigint {
  return BigInt(options.getAll()?.getPosition()?.getCommitPosition() ?? 0);
}

function namesIn(options: ReadReq.Options): readonly string[] {
  return options.getFilter()?.getStreamIdentifier()?.getPrefixList() ?? [];
}

function textOf(bytes: Uint8Array | undefined): string {
  return bytes === undefined ? '' : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString();
}
