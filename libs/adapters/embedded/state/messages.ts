import type { ChangedRows, RowKind, RowPart, StateLine } from '#backup';
import type { Begun, ResealedRow, Sealed, SealedKind, SealedPart } from '#eventsourcing/ports';
import type { Instant } from '#kernel';

/**
 * The requests of the calling thread to the thread that owns the file. They contain nothing secret: keys and secrets are
 * sealed.
 */
export type StateRequest =
  | { readonly op: 'obtain-key'; readonly person: string; readonly candidate: Sealed }
  | { readonly op: 'get-key'; readonly person: string }
  | { readonly op: 'destroy-key'; readonly person: string }
  | { readonly op: 'list-persons'; readonly after: number; readonly size: number }
  | { readonly op: 'put-secret'; readonly id: string; readonly sealed: Sealed }
  | { readonly op: 'get-secret'; readonly id: string }
  | { readonly op: 'destroy-secret'; readonly id: string }
  | {
      readonly op: 'begin';
      readonly record: string;
      readonly fingerprint: string;
      readonly commandId: string;
      readonly now: Instant;
    }
  | { readonly op: 'renew'; readonly record: string; readonly now: Instant }
  | {
      readonly op: 'keep';
      readonly record: string;
      readonly answer: Sealed;
      readonly now: Instant;
      readonly shows: ShownPerson | null;
    }
  | { readonly op: 'erase-answers'; readonly person: string }
  | { readonly op: 'free'; readonly record: string }
  | { readonly op: 'get-value'; readonly name: string }
  | { readonly op: 'insert-value'; readonly name: string; readonly text: string }
  | {
      readonly op: 'replace-value';
      readonly name: string;
      readonly expected: string;
      readonly text: string;
      /** Whether nothing of the text before may stay in the file. */
      readonly overwrites: boolean;
    }
  | { readonly op: 'sealed-part'; readonly kind: SealedKind; readonly after: string | undefined }
  | { readonly op: 'reseal'; readonly rows: readonly ResealedRow[] }
  | { readonly op: 'copy-entries' }
  | { readonly op: 'copy-rows'; readonly kind: RowKind; readonly after: string | undefined }
  | { readonly op: 'copy-changes'; readonly since: string | undefined };

/** Whom a kept answer shows: the name of their key, and their name in records. */
export interface ShownPerson {
  readonly key: string;
  readonly name: string;
}

/** A person's stored key. */
export type StoredKey = { readonly state: 'present'; readonly wrapped: Sealed } | { readonly state: 'destroyed' };

/** Persons in the order of their rows, and the last one's row. */
export interface PersonPage {
  readonly persons: readonly string[];
  readonly last: number;
}

/** A stored `Begun`: its answer is sealed. */
export type StoredBegun = Exclude<Begun, { kind: 'kept' }> | { readonly kind: 'kept'; readonly answer: Sealed };

/** The answer to each request, by its `op`. */
export interface StateAnswers {
  'obtain-key': StoredKey;
  'get-key': StoredKey | undefined;
  'destroy-key': undefined;
  'list-persons': PersonPage;
  'put-secret': undefined;
  'get-secret': Sealed | undefined;
  'destroy-secret': undefined;
  begin: StoredBegun;
  renew: undefined;
  keep: undefined;
  'erase-answers': number;
  free: undefined;
  'get-value': string | undefined;
  'insert-value': string;
  'replace-value': boolean;
  'sealed-part': SealedPart;
  reseal: undefined;
  'copy-entries': readonly StateLine[];
  'copy-rows': RowPart;
  'copy-changes': ChangedRows;
}

/** The requests of one turn in order, or the request to end. */
export type ToStateThread = readonly StateRequest[] | 'close';

/**
 * `opened` or `refused` comes first, once. Then come the answers of each batch, in order and durable. After the first
 * `failed` every batch gets `failed`.
 */
export type FromStateThread =
  | { readonly kind: 'opened' }
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'answers'; readonly answers: readonly unknown[] }
  /** The disk is full; whether the batch was carried out is unknown. The next batch is tried. */
  | { readonly kind: 'full'; readonly reason: string }
  | { readonly kind: 'failed'; readonly reason: string };

/** The start data of the thread. */
export interface StateThreadData {
  readonly file: string;
}

/** A copy of sealed bytes for the other thread. Without the copy the whole pool of the Buffer would go with it. */
export function forThread({ key, bytes }: Sealed): Sealed {
  return { key, bytes: new Uint8Array(bytes) };
}
