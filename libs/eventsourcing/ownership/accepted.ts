import type { Facts } from '../ports/facts.js';

/** On disk, as the name of a fact. */
const ACCEPTED = 'accepted';

/** What was accepted, for those that kept something of what was lost. */
export interface Accepted {
  readonly code: string;
  /** The stream; absent for the whole log. */
  readonly stream?: string;
  /** Of a stream with a gap: what it lacks stands below this revision. */
  readonly below?: number;
  /** Of the whole log, as it was accepted: its identity and its last position, in digits. */
  readonly identity?: string;
  readonly position?: string;
}

/** What an operator has accepted of this installation's logs, the first one first. */
export async function readAccepted(facts: Facts): Promise<readonly Accepted[]> {
  const text = await facts.get(ACCEPTED);
  return text === undefined ? [] : (JSON.parse(text) as readonly Accepted[]);
}

/** Writes down that an operator has accepted something. */
export async function rememberAccepted(facts: Facts, accepted: Accepted): Promise<void> {
  for (;;) {
    const text = await facts.get(ACCEPTED);
    const all = text === undefined ? [] : (JSON.parse(text) as readonly Accepted[]);
    if (all.some(({ code }) => code === accepted.code)) return;
    const next = JSON.stringify([...all, accepted]);
    const done =
      text === undefined ? (await facts.insert(ACCEPTED, next)) === next : await facts.replace(ACCEPTED, text, next);
    if (done) return;
  }
}
