import { thisMachine } from '#adapters/machine';
import { FORMAT, type LogOwner, type LogRecord, LogUnusable, NO_STREAM, OtherFormat } from '#eventsourcing';
import type { AppendConnection, Reads, Server } from './server.js';

/** Metadata hides earlier metadata, so there is one event. */
const MANY = 4_000;

/**
 * The metadata of a stream without events: every reader sees it as the system's, and it lasts as long as the server's data.
 */
interface Metadata {
  readonly identity?: unknown;
  readonly format?: unknown;
  readonly owner?: LogOwner;
}

/** The record and its place in its stream. */
export interface StoredRecord extends LogRecord {
  readonly revision: number;
}

/**
 * The record of the log with this prefix; undefined if there is none.
 * @throws LogUnusable if it is not ours, or another build's
 */
export async function recordOf(server: Pick<Reads, 'readStream'>, prefix: string): Promise<StoredRecord | undefined> {
  const found = (await server.readStream(streamOf(prefix), 0, MANY))?.at(-1);
  if (found === undefined) return undefined;
  const { identity, format, owner } = (found.data ?? {}) as Metadata;
  if (typeof identity !== 'string' || identity === '') {
    throw new LogUnusable(
      `the stream ${streamOf(prefix)} has no identity of an event log: another application has set its metadata. ` +
        'Remove that metadata, or name another EVENTSTORE_PREFIX',
    );
  }
  if (format !== FORMAT) {
    const { message } = new OtherFormat('the event log at EVENTSTORE_URL', format, 'name another EVENTSTORE_PREFIX');
    throw new LogUnusable(message);
  }
  return { identity, owner, revision: found.revision };
}

/** Creates a log. Of any number of processes one creates the stream, and all read what that one wrote. */
export async function createRecord(server: Server, prefix: string, { randomness } = thisMachine): Promise<void> {
  const data = { identity: randomness.uuid(), format: FORMAT };
  await server.append(streamOf(prefix), NO_STREAM, [{ id: randomness.uuid(), type: '$metadata', data }]);
}

/** Names the log's owner, unless the record has changed since. @returns whether it did */
export async function nameOwner(
  server: Pick<Server, 'append'>,
  prefix: string,
  { identity, revision }: StoredRecord,
  owner: LogOwner,
  { randomness } = thisMachine,
  over?: AppendConnection,
): Promise<boolean> {
  const data = { identity, format: FORMAT, owner };
  const event = { id: randomness.uuid(), type: '$metadata', data };
  const answer = await server.append(streamOf(prefix), revision, [event], over);
  return answer.kind === 'written';
}

/**
 * Sends an append that cannot succeed, because no stream ever has that revision. Resolves when it is refused.
 * @param over the only connection that may carry it; absent means any
 */
export async function askForAppend(
  server: Server,
  prefix: string,
  { randomness } = thisMachine,
  over?: AppendConnection,
): Promise<void> {
  const event = { id: randomness.uuid(), type: '$metadata', data: {} };
  await server.append(streamOf(prefix), Number.MAX_SAFE_INTEGER, [event], over);
}

function streamOf(prefix: string): string {
  return `$$${prefix}holdfast`;
}
