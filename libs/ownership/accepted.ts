import { changeEntry, type KeyValueStore, type Finding } from '#eventsourcing';
import type { Position } from '#kernel';

/** The entry's name on disk. */
const ACCEPTED = 'accepted';

/** A finding that an operator accepted, for those who kept something of what was lost. */
export interface Accepted {
  readonly code: string;
  /** The stream; absent for the whole log. */
  readonly stream?: string;
  /** For a stream with a gap: it lacks the events below this revision. */
  readonly below?: number;
  /** For a stream with an event of another program: its revision. */
  readonly at?: number;
  /** For the whole log at the acceptance: its identity and its last position, in digits. */
  readonly identity?: string;
  readonly position?: string;
}

/** What operators have accepted about this installation's logs, the oldest first. */
export async function readAccepted(keyValues: KeyValueStore): Promise<readonly Accepted[]> {
  return parse(await keyValues.get(ACCEPTED));
}

/** Whether an operator accepted that a log lacks what a view has seen: this finding, or a log that ends before it. */
export function isLossAccepted({ code }: Finding, seen: Position, accepted: readonly Accepted[]): boolean {
  return accepted.some((each) => each.code === code || (each.position !== undefined && BigInt(each.position) < seen));
}

/** Stores that an operator accepted something. */
export async function rememberAccepted(keyValues: KeyValueStore, accepted: Accepted): Promise<void> {
  await changeEntry(keyValues, ACCEPTED, (text) => {
    const all = parse(text);
    return all.some(({ code }) => code === accepted.code) ? undefined : JSON.stringify([...all, accepted]);
  });
}

function parse(text: string | undefined): readonly Accepted[] {
  return text === undefined ? [] : (JSON.parse(text) as readonly Accepted[]);
}
