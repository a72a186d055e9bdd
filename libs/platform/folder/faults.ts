import { type Finding, findingOf, toldOf } from '#eventsourcing';

/** Something that says that a data folder is not whole, or not of one piece. */
export interface Fault {
  readonly words: string;
  /** Set where an operator may accept it; else it is put right, or the start is refused. */
  readonly finding?: Finding;
}

/** What must be put right. */
export function fault(words: string): Fault {
  return { words };
}

/**
 * What an operator may accept, for nothing better can be put back.
 * @param found exactly what was found, which its code is made of
 */
export function acceptable(words: string, found: readonly (string | number | bigint | null)[]): Fault {
  return { words, finding: findingOf(words, found) };
}

/** The data folder is refused as it is. The message says what is wrong and what to put back. */
export class FolderRefused extends Error {
  override name = 'FolderRefused';
}

/** @throws FolderRefused unless all of the faults are accepted */
export function assertNone(dataDir: string, faults: readonly Fault[], accepted: ReadonlySet<string>): void {
  const left = faults.filter(({ finding }) => finding === undefined || !accepted.has(finding.code));
  if (left.length === 0) return;
  // Where something must be put right anyhow, nothing need be accepted yet.
  const must = left.filter(({ finding }) => finding === undefined);
  const told =
    must.length > 0 ? must.map(({ words }) => words) : left.map(({ finding }) => (finding ? toldOf(finding) : ''));
  throw new FolderRefused(`the data folder ${dataDir} is not whole, and was left as it is. ${told.join(' ')}`);
}
