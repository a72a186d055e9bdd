import type { Story } from './record.js';

/** What answers have told by the time of a cut. */
export interface Told {
  /** Every event up to here was told. */
  readonly position: bigint;
  /** Rows of state.db that answers stand for. */
  readonly rows: readonly string[];
  /** Whether anybody was told anything: from then on, the folder is an installation. */
  readonly anything: boolean;
}

/** @param at a place in the recording */
export function toldBy({ recording, rows }: Story, at: number): Told {
  const answers = recording.operations.filter((each) => each.kind === 'told' && each.began < at);
  const requests = new Set<string>();
  let position = 0n;
  for (const answer of answers) {
    if (answer.kind !== 'told') continue;
    requests.add(answer.request);
    if (answer.position > position) position = answer.position;
  }
  return {
    position,
    rows: rows.filter(({ request }) => requests.has(request)).map(({ row }) => row),
    anything: answers.length > 0,
  };
}
