import { thisMachine } from '#adapters/machine';
import {
  FORMAT,
  type LogOwner,
  type LogRecord,
  LogUnusable,
  NO_STREAM,
  OtherFormat,
  type RecordPlace,
} from '#eventsourcing';
import type { Position } from '#kernel';
import {
  type AppendConnection,
  NoEventThere,
  type Reads,
  type Server,
  type ServerEvent,
  StreamDeleted,
} from './server.js';

/** The type of a record's events, on disk. */
const TYPE = 'log-recorded';
/** Events per read: a record has one for each change. */
const MANY = 1_000;
/** The most names that may be used up. */
const NAMES = 100;

/** An event of a record has all of it; the last one counts. */
interface OnDisk {
  readonly identity?: unknown;
  readonly format?: unknown;
  readonly owner?: LogOwner;
  readonly lease?: number;
  /** In digits; absent in the first event of a log. */
  readonly began?: string;
}

/** The record and its place in its stream. */
export interface StoredRecord extends LogRecord {
  readonly place: RecordPlace;
  readonly revision: number;
  /** Which stream holds the lease: the first, second, …; undefined: none was needed yet. */
  readonly lease: number | undefined;
}

/** What an installation knows of its log's record. */
export interface KnownRecord {
  readonly identity: string;
  readonly place: RecordPlace;
}

/**
 * The record of the log with this prefix: an ordinary stream, which keeps its event 0. If the server does not find the stream,
 * the record is read at its known position, because `$all` has what a node does not know by name.
 * @returns undefined if there is none by name, and none at that position
 * @throws LogUnusable if it is not ours, or another build's
 */
export async function recordOf(
  server: Pick<Reads, 'readStream' | 'readAll'>,
  prefix: string,
  known?: KnownRecord,
): Promise<StoredRecord | undefined> {
  let found: StoredRecord | undefined;
  for (let [number, missing] = [known?.place.number ?? 1, 0]; missing < 2 && number <= NAMES; number += 1) {
    const record = await recordIn(server, prefix, number);
    if (record === undefined) missing += found === undefined ? 1 : 2;
    else found = record;
  }
  if (found !== undefined) return found;
  await refuseEarlierBuild(server, prefix);
  return known === undefined ? undefined : recordAt(server, prefix, known);
}

/** Creates a log, if the name of its record was never used. Of any number of processes one creates it. */
export async function createRecord(
  server: Pick<Server, 'append' | 'readStream'>,
  prefix: string,
  { randomness } = thisMachine,
): Promise<void> {
  await begin(server, prefix, 1, { identity: randomness.uuid() }, randomness);
}

/**
 * Writes a record again whose stream readers do not find, under the next name that was never used: a stream that was deleted
 * never gets an event 0 again.
 */
export async function repeatRecord(
  server: Pick<Server, 'append' | 'readStream'>,
  prefix: string,
  {
    identity,
    owner,
    lease,
    place,
  }: Omit<StoredRecord, 'revision' | 'place'> & { readonly place: RecordPlace | undefined },
  { randomness } = thisMachine,
): Promise<void> {
  const data = { identity, owner, lease, began: String(place?.began ?? 0n) };
  await begin(server, prefix, (place?.number ?? 1) + 1, data, randomness);
}

/** Changes the record, unless it has changed since. @returns whether it did */
export async function changeRecord(
  server: Pick<Server, 'append'>,
  prefix: string,
  { identity, owner, lease, place, revision }: StoredRecord,
  change: { readonly owner?: LogOwner; readonly lease?: number },
  { randomness } = thisMachine,
  over?: AppendConnection,
): Promise<boolean> {
  const data = { identity, owner, lease, began: String(place.began), ...change };
  const answer = await server.append(streamOf(prefix, place.number), revision, [eventOf(data, randomness)], over);
  return answer.kind === 'written';
}

/**
 * Sends an append that cannot succeed, because no stream ever has that revision. Resolves when it is refused.
 * @param over the only connection that may carry it; absent means any
 */
export async function askForAppend(
  server: Pick<Server, 'append'>,
  prefix: string,
  { randomness } = thisMachine,
  over?: AppendConnection,
): Promise<void> {
  await server.append(streamOf(prefix, 1), Number.MAX_SAFE_INTEGER, [eventOf({}, randomness)], over);
}

/** Whether an event is one of a record of the log with this prefix. */
export function isOfRecord({ stream, type }: Pick<ServerEvent, 'stream' | 'type'>, prefix: string): boolean {
  return type === TYPE && numberOf(stream, prefix) !== undefined;
}

/** Which name of a record of the log with this prefix a stream has; undefined if none. */
export function numberOf(stream: string, prefix: string): number | undefined {
  const name = streamOf(prefix, 1);
  if (stream === name) return 1;
  const [, digits] = /^-([1-9]\d*)$/.exec(stream.startsWith(name) ? stream.slice(name.length) : '') ?? [];
  return digits === undefined ? undefined : Number(digits);
}

async function recordIn(
  server: Pick<Reads, 'readStream'>,
  prefix: string,
  number: number,
): Promise<StoredRecord | undefined> {
  const stream = streamOf(prefix, number);
  const all: ServerEvent[] = [];
  for (let isLast = false; !isLast;) {
    const from: number = (all.at(-1)?.revision ?? -1) + 1;
    const events = await readable(server, stream, from);
    all.push(...events);
    isLast = events.length < MANY;
  }
  const [first] = all;
  if (first === undefined) return undefined;
  const last = all.findLast(({ type }) => type === TYPE);
  if (last === undefined || first.type !== TYPE) throw notOurs(stream);
  return { ...contentOf(last, stream, first), revision: all.at(-1)?.revision ?? last.revision };
}

/** No events of a stream that is missing, deleted, or cannot be read at any node. */
async function readable(
  server: Pick<Reads, 'readStream'>,
  stream: string,
  from: number,
): Promise<readonly ServerEvent[]> {
  try {
    return (await server.readStream(stream, from, MANY)) ?? [];
  } catch (error) {
    const isTorn = error instanceof Error && error.message.includes('Unexpected ReadStreamResult');
    if (error instanceof StreamDeleted || isTorn) return [];
    throw error;
  }
}

async function recordAt(
  server: Pick<Reads, 'readAll'>,
  prefix: string,
  { identity, place }: KnownRecord,
): Promise<StoredRecord | undefined> {
  const [event] = place.last <= 0n ? [] : await eventsAt(server, place.last);
  const stream = streamOf(prefix, place.number);
  if (event?.position !== place.last || event.stream !== stream || event.type !== TYPE) return undefined;
  const found = contentOf(event, stream, event);
  return found.identity === identity ? { ...found, place, revision: event.revision, missing: true } : undefined;
}

/** None if no event begins there. Any other error says nothing about the log. */
async function eventsAt(server: Pick<Reads, 'readAll'>, position: Position): Promise<readonly ServerEvent[]> {
  try {
    return await server.readAll(position, 1);
  } catch (error) {
    if (error instanceof NoEventThere) return [];
    throw error;
  }
}

function contentOf(last: ServerEvent, stream: string, first: ServerEvent): Omit<StoredRecord, 'revision'> {
  const { identity, format, owner, lease, began } = (last.data ?? {}) as OnDisk;
  if (typeof identity !== 'string' || identity === '') throw notOurs(stream);
  if (format !== FORMAT) throw ofAnotherBuild(format);
  const beginning = first.revision === 0 ? first.position : 0n;
  const number = Number(/-(\d+)$/.exec(stream)?.[1] ?? 1);
  const place = { number, last: last.position, began: began === undefined ? beginning : BigInt(began) };
  return { identity, owner, lease, place };
}

function notOurs(stream: string): LogUnusable {
  return new LogUnusable(
    `the stream ${stream} has no identity of an event log: another application writes it. ` +
      'Delete that stream, or name another EVENTSTORE_PREFIX',
  );
}

function ofAnotherBuild(format: unknown): LogUnusable {
  const { message } = new OtherFormat('the event log at EVENTSTORE_URL', format, 'name another EVENTSTORE_PREFIX');
  return new LogUnusable(message);
}

/** Builds before 1.0.0-rc.1 had the record in the metadata of its stream. */
async function refuseEarlierBuild(server: Pick<Reads, 'readStream'>, prefix: string): Promise<void> {
  const metadata = (await readable(server, `$$${streamOf(prefix, 1)}`, 0)).at(-1)?.data as OnDisk | undefined;
  if (typeof metadata?.identity === 'string') throw ofAnotherBuild(metadata.format);
}

/** Begins a record's stream. If the name was used, nobody can know what the server has of it: then the next one. */
async function begin(
  server: Pick<Server, 'append' | 'readStream'>,
  prefix: string,
  first: number,
  data: OnDisk,
  randomness: typeof thisMachine.randomness,
): Promise<void> {
  for (let number = first; number <= NAMES; number += 1) {
    try {
      const answer = await server.append(streamOf(prefix, number), NO_STREAM, [eventOf(data, randomness)]);
      // A stream that was deleted goes on with its numbers; one that the node does not know cannot be read any more.
      const isUsed = answer.kind === 'written' && answer.revision !== 0;
      // Another process may have begun it: then both read what that one wrote.
      if (!isUsed && (await recordIn(server, prefix, number)) !== undefined) return;
    } catch (error) {
      if (!(error instanceof StreamDeleted)) throw error;
    }
  }
}

function eventOf(content: OnDisk, randomness: typeof thisMachine.randomness) {
  return { id: randomness.uuid(), type: TYPE, data: { ...content, format: FORMAT } };
}

function streamOf(prefix: string, number: number): string {
  return `${prefix}holdfast${number === 1 ? '' : `-${number}`}`;
}
