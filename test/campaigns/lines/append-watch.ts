import type { AppendRequest } from '../../support/eventstoredb/writer.js';
import type { EventStoreDbDouble } from '../../support/eventstoredb/server.js';
import type { Outcome } from '../../support/eventstoredb/store.js';

/** An append as it was decided: the revision that it expects, and the ids of its commands. */
export interface Attempt {
  readonly stream: string;
  readonly expected: number;
  readonly commandIds: readonly string[];
}

/** An append as it reached the server. */
export interface Arrived extends Omit<Attempt, 'stream'> {
  /** The connection name of the API that sent it. */
  readonly from: string;
  /** Whether it wrote; a repeat did not. */
  readonly wrote: boolean;
}

/** Watches the double: the appends to a stream, in the order in which they were carried out. */
export function watchAppends({ appends }: EventStoreDbDouble): (stream: string) => readonly Arrived[] {
  const arrived = new Map<string, Arrived[]>();
  let furthest = -1;
  appends.on('written', ({ stream, expected, events, connection }: AppendRequest, outcome: Outcome) => {
    const position = 'position' in outcome ? (outcome.position ?? -1) : -1;
    const wrote = position > furthest;
    furthest = Math.max(furthest, position);
    const metadata = events.flatMap((event): { command_id?: string }[] =>
      event.metadata === '' ? [] : [JSON.parse(Buffer.from(event.metadata, 'base64').toString()) as object],
    );
    const commandIds = [...new Set(metadata.flatMap(({ command_id }) => command_id ?? []))];
    const all = arrived.get(stream) ?? [];
    arrived.set(stream, all);
    all.push({ expected: Number(expected), commandIds, from: connection, wrote });
  });
  return (stream) => arrived.get(stream) ?? [];
}

/** What the server saw of batches that waited at A. */
export interface Met {
  /** B wrote the first command of A's waiting batch under its command id, and nothing else of it. */
  readonly firstOnly: boolean;
  /** A's append reached the server after B's append of the same command. */
  readonly late: boolean;
}

/** The fate of the batches that A decided for one stream. */
export function whatMet(attempts: readonly Attempt[], arrived: readonly Arrived[]): Met {
  let [firstOnly, late] = [false, false];
  for (const { expected, commandIds } of attempts) {
    const isIts = (each: Arrived): boolean => each.expected === expected && each.commandIds[0] === commandIds[0];
    const theirs = arrived.findIndex((each) => each.wrote && each.from === 'B' && isIts(each));
    if (theirs === -1) continue;
    if (commandIds.length > 1 && arrived[theirs]?.commandIds.length === 1) firstOnly = true;
    if (arrived.some((each, at) => at > theirs && each.from === 'A' && isIts(each))) late = true;
  }
  return { firstOnly, late };
}
