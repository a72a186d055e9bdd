import { Binary } from 'mongodb';
import type { AnswerLine, RowKind, StateLine } from '#backup';

/** A document of any of these collections. */
export interface Stored {
  readonly _id: string;
  readonly text?: string;
  readonly wrapped?: Binary | null;
  readonly sealed?: Binary | null;
  readonly key?: number;
  readonly count?: number;
  readonly fingerprint?: string;
  readonly command?: string;
  readonly state?: AnswerLine['state'];
  readonly since?: number | bigint;
  readonly turn?: number;
  readonly answer?: Binary | null;
  readonly person?: string;
  /** Set until a backup that follows has the change. */
  readonly changed?: string;
}

/** The collections and how their documents and lines correspond. */
export const ROWS_OF: Readonly<
  Record<RowKind, { readonly name: string; readonly line: (document: Stored) => StateLine }>
> = {
  key: {
    name: 'person_keys',
    line: ({ _id, wrapped, key = 0 }) => ({ kind: 'key', person: _id, sealed: base64(wrapped), key }),
  },
  secret: {
    name: 'vault',
    line: ({ _id, sealed, key = 0 }) => ({ kind: 'secret', name: _id, sealed: base64(sealed), key }),
  },
  answer: {
    name: 'idempotency_records',
    line: ({ _id, fingerprint = '', command = '', state = 'free', since = 0, answer, key = 0, person }) => ({
      kind: 'answer',
      record: _id,
      fingerprint,
      command_id: command,
      state,
      since: Number(since),
      sealed: base64(answer),
      key,
      ...(person !== undefined && { person }),
    }),
  },
};

/** The collection of a line, and its document there. */
export function documentOf(line: StateLine): readonly [string, Stored] {
  switch (line.kind) {
    case 'entry':
      return ['facts', { _id: line.name, text: line.text }];
    case 'key': {
      const { person: _id, sealed, key } = line;
      return ['person_keys', sealed === null ? { _id, wrapped: null } : { _id, wrapped: bytesOf(sealed), key }];
    }
    case 'secret': {
      const { name: _id, sealed, key } = line;
      return [
        'vault',
        sealed === null ? { _id, sealed: null, count: 1 } : { _id, sealed: bytesOf(sealed), key, count: 1 },
      ];
    }
    case 'answer': {
      const { record: _id, fingerprint, command_id: command, state, since, sealed, key, person } = line;
      const answer = sealed === null ? null : bytesOf(sealed);
      const shows = person === undefined ? {} : { person };
      return ['idempotency_records', { _id, fingerprint, command, state, since, turn: 0, answer, key, ...shows }];
    }
  }
}

function base64(bytes: unknown): string | null {
  return bytes instanceof Binary ? Buffer.from(bytes.value()).toString('base64') : null;
}

function bytesOf(text: string): Binary {
  return new Binary(Buffer.from(text, 'base64'));
}
