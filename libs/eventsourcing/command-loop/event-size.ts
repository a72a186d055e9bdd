import { DomainError, type EventBody } from '#kernel';
import { MAX_APPEND_BYTES } from '../ports/event-log.js';

/**
 * About how many bytes an event has.
 * @throws DomainError if no append can hold it; otherwise every command in the same append would fail
 */
export function boundedBytes({ type, data }: EventBody): number {
  const estimate = approximateBytes(data);
  if (estimate > MAX_APPEND_BYTES && Buffer.byteLength(JSON.stringify(data)) > MAX_APPEND_BYTES) {
    throw new DomainError('too_large', `more than the ${MAX_APPEND_BYTES} bytes that can be stored at once`, { type });
  }
  return estimate;
}

/** The most bytes of a character in UTF-8. */
const BYTES_OF_CHARACTER = 3;

/** An upper estimate of the JSON's UTF-8 size. Making the text is several times faster than walking the object. */
export function approximateBytes(data: object): number {
  return BYTES_OF_CHARACTER * JSON.stringify(data).length;
}

/** The characters of an event's data as JSON. @param approximate what `approximateBytes` said of it, if that is known */
export function charactersOf({ data }: EventBody, approximate = approximateBytes(data)): number {
  return approximate / BYTES_OF_CHARACTER;
}
