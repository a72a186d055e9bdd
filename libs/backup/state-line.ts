/** An entry beside the keys. */
export interface EntryLine {
  readonly kind: 'entry';
  readonly name: string;
  readonly text: string;
}

/** The wrapped key of a person, in base64; null: it is destroyed. */
export interface KeyLine {
  readonly kind: 'key';
  readonly person: string;
  readonly sealed: string | null;
  /** The number of the key that wraps it. */
  readonly key: number;
}

/** A secret of the vault, sealed, in base64; null: it is destroyed. */
export interface SecretLine {
  readonly kind: 'secret';
  readonly name: string;
  readonly sealed: string | null;
  readonly key: number;
}

/** What is kept of a request that may be repeated. */
export interface AnswerLine {
  readonly kind: 'answer';
  readonly record: string;
  readonly fingerprint: string;
  readonly command_id: string;
  /** `gone`: it showed a person who was erased. */
  readonly state: 'running' | 'done' | 'free' | 'gone';
  /** Milliseconds since 1970. */
  readonly since: number;
  /** The sealed answer, in base64. */
  readonly sealed: string | null;
  readonly key: number;
  /** Whom it shows, as records name persons; absent if nobody. */
  readonly person?: string;
}

/** A line of the ledger of a sandbox gateway in the data folder. */
export interface LedgerLine {
  readonly kind: 'ledger';
  readonly text: string;
}

/** A line of the file of erasures. Only an open file of blocks has some: a copy has the file itself. */
export interface ErasureLine {
  readonly kind: 'erasure';
  readonly text: string;
}

/** A row of what is kept beside the log, the same for every engine. A later line of the same name replaces an earlier one. */
export type StateLine = EntryLine | KeyLine | SecretLine | AnswerLine;

/** A line of a state file. */
export type KeptLine = StateLine | LedgerLine | ErasureLine;

/** The name under which a later line replaces an earlier one. */
export function nameOfLine(line: StateLine): string {
  switch (line.kind) {
    case 'entry':
    case 'secret':
      return `${line.kind} ${line.name}`;
    case 'key':
      return `key ${line.person}`;
    case 'answer':
      return `answer ${line.record}`;
  }
}
