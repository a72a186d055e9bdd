import { changeEntry, type KeyValueStore } from '#eventsourcing';
import type { Fault } from '#eventsourcing/verify';
import type { Instant, Position } from '#kernel';

/** The name of the entry beside the keys. */
export const AUDIT_ENTRY = 'self-audit';

/** How far the self-audit is, and what it has found: a restart goes on there, and every process of the installation sees it. */
export interface AuditNotes {
  /** Streams were checked up to here in the pass under way. */
  readonly position: Position;
  /** What the pass under way has found. */
  readonly open: readonly Fault[];
  /** What is known to contradict itself: of the last whole pass, and of the one under way. */
  readonly faults: readonly Fault[];
  /** The part of the rows that is compared next, from 0. */
  readonly part: number;
  /** The last whole pass. */
  readonly last:
    | {
        readonly at: Instant;
        /** The end of the log then, in digits. */
        readonly position: string;
        readonly events: number;
        readonly faults: number;
        readonly seconds: number;
      }
    | undefined;
}

/** Before the first pass. */
export const NO_NOTES: AuditNotes = { position: 0n, open: [], faults: [], part: 0, last: undefined };

/** The notes; none if there are none that this build understands. */
export async function readNotes(keyValues: KeyValueStore): Promise<AuditNotes> {
  return parseNotes(await keyValues.get(AUDIT_ENTRY));
}

/** The notes in an entry. */
export function parseNotes(text: string | undefined): AuditNotes {
  if (text === undefined || text === '') return NO_NOTES;
  try {
    const { position, ...rest } = JSON.parse(text) as Omit<AuditNotes, 'position'> & { readonly position: string };
    return { ...NO_NOTES, ...rest, position: BigInt(position) };
  } catch {
    return NO_NOTES;
  }
}

export async function writeNotes(keyValues: KeyValueStore, notes: AuditNotes): Promise<void> {
  const text = JSON.stringify({ ...notes, position: notes.position.toString() });
  await changeEntry(keyValues, AUDIT_ENTRY, () => text);
}
