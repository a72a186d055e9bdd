import type { Instant } from '#kernel';

/** Names one repeatable request: the credential that sent it and the `Idempotency-Key` that it chose. */
export interface RecordKey {
  readonly credential: string;
  readonly key: string;
}

/** What is known of a request when it arrives (ruling A11). */
export type Begun =
  /** Run it, under this command id: the one given, or the one of a first try that broke off. */
  | { readonly kind: 'run'; readonly commandId: string }
  /** It ran before: these bytes are its answer. */
  | { readonly kind: 'kept'; readonly answer: Buffer }
  /** The first one still runs. */
  | { readonly kind: 'running' }
  /** The key was used for another request. */
  | { readonly kind: 'different' };

/** A record left running by a crash frees after this time: nobody has renewed it for so long. */
export const RUNNING_FREES_AFTER = 30_000;
/** An answer is kept for this time. */
export const ANSWER_KEPT_FOR = 24 * 60 * 60_000;

/** Answers kept for repeats, sealed. Every change is durable before its promise resolves. */
export interface IdempotencyRecords {
  /** Atomic: of any number of rivals with one key, one gets `run`. */
  begin(record: RecordKey, fingerprint: string, commandId: string, now: Instant): Promise<Begun>;
  /** The request still runs: its record frees only so long after `now`. One that does not run stays as it is. */
  renew(record: RecordKey, now: Instant): Promise<void>;
  /** Keeps the answer until 24 hours after `now`. */
  keep(record: RecordKey, answer: Buffer, now: Instant): Promise<void>;
  /** Forgets a request whose answer must not be kept (a fault of ours): the next one runs anew, under the same command id. */
  free(record: RecordKey): Promise<void>;
  close(): Promise<void>;
}
