import { type Append, MAX_APPEND_BYTES, MAX_APPEND_EVENTS, type NewEvent, NO_STREAM } from './ports/event-log.js';

/**
 * What every log refuses before it has seen anything of an append: a stream, a revision or a number of events beyond the
 * port's bounds. Its events are left to `jsonOf` and `checkBytes`.
 * @throws TypeError for what cannot be stored, RangeError beyond the bounds
 */
export function checkAppend({ stream, expected, events }: Append): void {
  checkText(stream, 'the name of a stream');
  // SQLite would store another name than the one given: two names could become one stream.
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
 * The data of an event as JSON text, once its other fields are known to be good.
 * @throws TypeError
 */
export function jsonOf({ id, type, data, metadata }: NewEvent): string {
  // Undefined for a function or undefined, and a throw for a bigint, whatever the declared type says.
  const json = JSON.stringify(data) as string | undefined;
  if (json === undefined) throw new TypeError(`the data of an event ${type} is no JSON`);
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
 * @param texts the data of the append's events, as JSON
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
