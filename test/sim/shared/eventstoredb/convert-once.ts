import type { ReadResp } from '@eventstore/db-client/generated/streams_pb.js';
import { convertGrpcRecord as convert } from '@eventstore/db-client/dist/utils/convertGrpcEvent.js';

type Converted = ReturnType<typeof convert>;

const converted = new WeakMap<ReadResp.ReadEvent.RecordedEvent, Converted>();

/** Stands in for the client's own function: every process gets the same messages, so each is converted once. */
export function convertGrpcRecord(record: ReadResp.ReadEvent.RecordedEvent): Converted {
  let event = converted.get(record);
  if (event === undefined) converted.set(record, (event = frozen(convert(record))));
  return event;
}

/** Nobody may change what others get too. */
function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return value;
  for (const part of Object.values(value)) frozen(part);
  return Object.freeze(value);
}
