import { type Append, type AppendResult, MAX_APPEND_BYTES, MAX_APPEND_EVENTS, NO_STREAM } from '#eventsourcing';

/**
 * Many appends as one flat array, the cheapest thing to hand to another thread:
 *
 * - per list: how many appends it has (the decision and its followers), then each of them;
 * - per append: stream, expected revision, how many events, then each of them;
 * - per event: id, type, time, command id, correlation, causation, actor, data as JSON text.
 */
export type Flat = (string | number | null)[];

/** How many places of a flat array one event takes. */
export const EVENT_FIELDS = 8;

/** The answers, three numbers per append in the order of the batch: kind, revision, position. */
export const WRITTEN = 0;
export const CONFLICT = 1;
export const SKIPPED = 2;
export const ANSWER_FIELDS = 3;

/** How much one list weighs: events, and characters of their data. */
export interface Weight {
  readonly events: number;
  readonly characters: number;
}

/**
 * Writes one list at the end of a batch. Throws before the log has seen anything of the list; the batch must then be cut
 * back to the length that it had.
 * @throws TypeError for what cannot be stored, RangeError for an append beyond the port's bounds
 */
export function encodeList(list: readonly Append[], into: Flat): Weight {
  let events = 0;
  let characters = 0;
  into.push(list.length);
  for (const append of list) {
    checkAppend(append);
    into.push(append.stream, append.expected, append.events.length);
    const before = characters;
    const start = into.length;
    for (const event of append.events) {
      const data = jsonOf(event.data, event.type);
      const { time, command_id, correlation, causation, actor } = event.metadata;
      checkInteger(time, 'the time of an event');
      checkText(event.id, 'the id of an event');
      checkText(event.type, 'the type of an event');
      checkText(command_id, 'the command id of an event');
      checkText(correlation, 'the correlation of an event');
      checkText(actor, 'the actor of an event');
      if (causation !== null) checkText(causation, 'the causation of an event');
      into.push(event.id, event.type, time, command_id, correlation, causation, actor, data);
      characters += data.length;
    }
    // A character takes at most three bytes, so small appends need no count of their bytes.
    if ((characters - before) * 3 > MAX_APPEND_BYTES) checkBytes(into, start, append.stream);
    events += append.events.length;
  }
  return { events, characters };
}

/**
 * The results of a list whose answers begin at `from`. Where the answers end before the list does, the log has failed
 * amid it: what follows the decision is then unknown.
 * @returns undefined when not even the decision has an answer
 */
export function decodeResults(answers: readonly number[], from: number, appends: number): AppendResult[] | undefined {
  if (from * ANSWER_FIELDS >= answers.length) return undefined;
  const results: AppendResult[] = [];
  for (let at = from * ANSWER_FIELDS; results.length < appends; at += ANSWER_FIELDS) {
    const [kind, revision = 0, position = 0] = [answers[at], answers[at + 1], answers[at + 2]];
    if (kind === WRITTEN) results.push({ kind: 'written', revision, position: BigInt(position) });
    else if (kind === CONFLICT) results.push({ kind: 'conflict', actual: revision });
    else results.push(kind === SKIPPED ? { kind: 'skipped' } : { kind: 'unknown' });
  }
  return results;
}

function checkAppend({ stream, expected, events }: Append): void {
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

function checkText(value: unknown, what: string): asserts value is string {
  if (typeof value !== 'string' || value === '') throw new TypeError(`${what} must be text that is not empty`);
}

function checkInteger(value: unknown, what: string): void {
  if (!Number.isSafeInteger(value)) throw new TypeError(`${what} must be a whole number, not ${String(value)}`);
}

function jsonOf(data: unknown, type: string): string {
  // Undefined for a function or undefined, and a throw for a bigint, whatever the declared type says.
  const json = JSON.stringify(data) as string | undefined;
  if (json === undefined) throw new TypeError(`the data of an event ${type} is no JSON`);
  return json;
}

function checkBytes(batch: Flat, start: number, stream: string): void {
  let bytes = 0;
  for (let at = start + EVENT_FIELDS - 1; at < batch.length; at += EVENT_FIELDS) {
    bytes += Buffer.byteLength(batch[at] as string);
  }
  if (bytes > MAX_APPEND_BYTES) {
    throw new RangeError(`an append to ${stream} has ${bytes} bytes of data; it must have at most ${MAX_APPEND_BYTES}`);
  }
}
