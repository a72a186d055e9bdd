import { type Finding, type FindingKind, findingOf, describeFinding } from '#eventsourcing';

/** A reason why a data folder is not whole, or why its files do not belong together. */
export interface Fault {
  readonly words: string;
  /** Set if an operator may accept it. Otherwise they must put it right before the service starts. */
  readonly finding?: Finding;
}

/** A fault that must be put right. */
export function fault(words: string): Fault {
  return { words };
}

/**
 * A fault that an operator may accept, if nothing better can be put back.
 * @param found exactly what was found; the code is made from it
 */
export function acceptable(
  kind: FindingKind,
  words: string,
  found: readonly (string | number | bigint | null)[],
): Fault {
  return { words, finding: findingOf(kind, words, found) };
}

/** The service refuses the data folder. The message says what is wrong and what to put back. */
export class FolderRefused extends Error {
  override name = 'FolderRefused';

  /** @param codes of the findings that an operator may accept */
  constructor(
    message: string,
    readonly codes: readonly string[] = [],
  ) {
    super(message);
  }
}

/** @throws FolderRefused unless all of the faults are accepted */
export function assertNoFaults(dataDir: string, faults: readonly Fault[], accepted: ReadonlySet<string>): void {
  const left = faults.filter(({ finding }) => finding === undefined || !accepted.has(finding.code));
  if (left.length === 0) return;
  // If something must be put right anyway, nothing needs to be accepted yet.
  const must = left.filter(({ finding }) => finding === undefined);
  const report =
    must.length > 0
      ? must.map(({ words }) => words)
      : left.map(({ finding }) => (finding ? describeFinding(finding) : ''));
  throw new FolderRefused(
    `the data folder ${dataDir} (DATA_DIR) is not whole, and was left as it is. ${report.join(' ')}`,
    left.flatMap(({ finding }) => (finding === undefined ? [] : [finding.code])),
  );
}
