import { type Append, MAX_APPEND_BYTES, MAX_APPEND_EVENTS, type NewEvent, NO_STREAM } from './event-log.js';

/**
 * The checks of every log before an append: the stream's name, the revision and the number of events. `jsonOf` and
 * `checkBytes` check the events.
 * @throws TypeError for what a log cannot store, RangeError beyond the port's bounds
 */
export function checkAppend({ stream, expected, events }: Append): void {
  checkText(stream, 'the name of a stream');
  // SQLite would store another name, and two names could become one stream.
  if (!stream.isWellFormed() || stream.includes('\0')) {
    throw new TypeError(`the name of a stream must be well-formed text without NUL: ${JSON.stringify(stream)}`);
  }
  checkInteger(expected, 'the expected revision');
  if (expected < NO_STREAM) throw new RangeError(`the expected revision must be -1 or more, not ${expected}`);
  if (events.length === 0 || events.length > MAX_APPEND_EVENTS) {
    throw new RangeError(`an append to ${stream} has ${events.length} events; it must have 1 to ${MAX_APPEND_EVENTS}`);
  }
}

/**
 * The data of an event as JSON text. Call it after the other fields are checked.
 * @throws TypeError
 */
export function jsonOf({ id, type, data, metadata }: NewEvent): string {
  // Undefined for a function or undefined; throws for a bigint, whatever the declared type says.
  const json = JSON.stringify(data) as string | undefined;
  if (json === undefined) throw new TypeError(`the data of an event ${type} is not JSON`);
  const { time, command_id, correlation, causation, actor } = metadata;
  checkInteger(time, 'the time of an event');
  checkText(id, 'the id of an event');
  checkText(type, 'the type of an event');
  checkText(command_id, 'the command id of an event');
  checkText(correlation, 'the correlation of an event');
  checkText(actor, 'the actor of an event');
  if (causation !== null) checkText(causation, 'the causation of an event');
  return json;
}

/**
 * @param texts the data of the events as JSON
 * @throws RangeError
 */
export function checkBytes(stream: string, texts: Iterable<string>): void {
  let bytes = 0;
  for (const text of texts) bytes += Buffer.byteLength(text);
  if (bytes > MAX_APPEND_BYTES) {
    throw new RangeError(`an append to ${stream} has ${bytes} bytes of data; it must have at most ${MAX_APPEND_BYTES}`);
  }
}

function checkText(value: unknown, what: string): asserts value is string {
  if (typeof value !== 'string' || value === '') throw new TypeError(`${what} must be text that is not empty`);
}

function checkInteger(value: unknown, what: string): void {
  if (!Number.isSafeInteger(value)) throw new TypeError(`${what} must be a whole number, not ${String(value)}`);
}
