import type { Begun, Sealed } from '#eventsourcing/ports';
import type { Instant } from '#kernel';

/** What the calling thread asks of the thread that owns the file. Nothing in it is secret: keys and secrets come sealed. */
export type StateRequest =
  | { readonly op: 'obtain-key'; readonly person: string; readonly candidate: Sealed }
  | { readonly op: 'get-key'; readonly person: string }
  | { readonly op: 'destroy-key'; readonly person: string }
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
  | { readonly op: 'keep'; readonly record: string; readonly answer: Sealed; readonly now: Instant }
  | { readonly op: 'free'; readonly record: string }
  | { readonly op: 'get-fact'; readonly name: string }
  | { readonly op: 'insert-fact'; readonly name: string; readonly text: string }
  | { readonly op: 'replace-fact'; readonly name: string; readonly expected: string; readonly text: string };

/** A person's key as it is stored. */
export type StoredKey = { readonly state: 'present'; readonly wrapped: Sealed } | { readonly state: 'destroyed' };

/** `Begun` as it is stored: the answer is sealed. */
export type StoredBegun = Exclude<Begun, { kind: 'kept' }> | { readonly kind: 'kept'; readonly answer: Sealed };

/** The answer to each request, by its `op`. */
export interface StateAnswers {
  'obtain-key': StoredKey;
  'get-key': StoredKey | undefined;
  'destroy-key': undefined;
  'put-secret': undefined;
  'get-secret': Sealed | undefined;
  'destroy-secret': undefined;
  begin: StoredBegun;
  renew: undefined;
  keep: undefined;
  free: undefined;
  'get-fact': string | undefined;
  'insert-fact': string;
  'replace-fact': boolean;
}

/** The requests of one turn, in order, or the wish to end. */
export type ToStateThread = readonly StateRequest[] | 'close';

/**
 * `opened` or `refused` comes first, once. Then, for each batch in order, its answers, which are durable; after the first
 * `failed` every batch is answered so.
 */
export type FromStateThread =
  | { readonly kind: 'opened' }
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'answers'; readonly answers: readonly unknown[] }
  /** There is no room on the disk: whether the batch was carried out is unknown. The next one is tried. */
  | { readonly kind: 'full'; readonly reason: string }
  | { readonly kind: 'failed'; readonly reason: string };

/** What the thread is started with. */
export interface StateThreadData {
  readonly file: string;
}

/** Sealed bytes to go over. Copied: a Buffer lies in a pool, and would take all of it along to the other thread. */
export function forThread({ key, bytes }: Sealed): Sealed {
  return { key, bytes: new Uint8Array(bytes) };
}
