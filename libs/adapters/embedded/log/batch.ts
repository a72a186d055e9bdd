import {
  type Append,
  type AppendResult,
  checkAppend,
  checkBytes,
  jsonOf,
  MAX_APPEND_BYTES,
} from '#eventsourcing/ports';

/** A value of a column. */
export type Value = string | number | null;

/** Many appends in two flat arrays, the cheapest form to pass to another thread. */
export interface Flat {
  /** Per list: the number of its appends (the decision and its followers), and of each of them its number of events. */
  readonly shape: number[];
  /** Per event its row: stream, revision, id, type, time, command id, correlation, causation, actor, data as JSON text. */
  readonly rows: Value[];
}

/** The elements of one event in `rows`, and the places of those that are read there. */
export const EVENT_FIELDS = 10;
export const STREAM = 0;
export const REVISION = 1;
export const DATA = 9;

/** The answers: three numbers per append, in the order of the batch: kind, revision, position. */
export const WRITTEN = 0;
export const CONFLICT = 1;
export const SKIPPED = 2;
export const ANSWER_FIELDS = 3;

/** The weight of one list: its events, and the characters of their data. */
export interface Weight {
  readonly events: number;
  readonly characters: number;
}

/**
 * Writes one list at the end of a batch. If it throws, the log has seen nothing of the list, and the caller must cut the
 * batch back to its earlier length.
 * @throws TypeError for what a log cannot store, RangeError for an append beyond the port's bounds
 */
export function encodeList(list: readonly Append[], { shape, rows }: Flat): Weight {
  let events = 0;
  let characters = 0;
  shape.push(list.length);
  for (const append of list) {
    checkAppend(append);
    const { stream } = append;
    shape.push(append.events.length);
    const before = characters;
    const start = rows.length;
    let revision = append.expected;
    for (const event of append.events) {
      const data = jsonOf(event);
      const { time, command_id, correlation, causation, actor } = event.metadata;
      revision += 1;
      rows.push(stream, revision, event.id, event.type, time, command_id, correlation, causation, actor, data);
      characters += data.length;
    }
    // A character has at most three bytes, so small appends need no byte count.
    if ((characters - before) * 3 > MAX_APPEND_BYTES) checkBytes(stream, dataFrom(rows, start));
    events += append.events.length;
  }
  return { events, characters };
}

/**
 * The results of a list that was written as a whole.
 * @param before the position before its first event
 */
export function writtenResults(list: readonly Append[], before: number): AppendResult[] {
  let position = before;
  return list.map(({ expected, events }) => {
    position += events.length;
    return { kind: 'written', revision: expected + events.length, position: BigInt(position) };
  });
}

/**
 * The results of a list whose answers begin at `from`. If the answers end before the list does, the log failed during the
 * list: what follows the decision is then unknown.
 * @returns undefined if not even the decision has an answer
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

/** The data of the events that begin at `start`. */
function* dataFrom(rows: readonly Value[], start: number): Generator<string> {
  for (let at = start + DATA; at < rows.length; at += EVENT_FIELDS) yield rows[at] as string;
}
