import { PATIENCE } from '#kernel/bounds';
import type { Instant } from '#kernel';

/** Names one repeatable request: the credential of its sender and the `Idempotency-Key` that they chose. */
export interface RecordKey {
  readonly credential: string;
  readonly key: string;
}

/** What is known about a request when it arrives (ruling A11). */
export type Begun =
  /** Run the request under this command id: the given one, or that of a first try that broke off. */
  | { readonly kind: 'run'; readonly commandId: string }
  /** The request has run; these bytes are its answer. */
  | { readonly kind: 'kept'; readonly answer: Buffer }
  /** The first try still runs. */
  | { readonly kind: 'running' }
  /** The request has run; its answer showed a person who was erased since. */
  | { readonly kind: 'erased' }
  /** The key was used for another request. */
  | { readonly kind: 'different' };

/** After this time without a renewal, a record that a crash left running is free. */
export const RUNNING_FREES_AFTER = PATIENCE.brokenOff;
/** How long an answer is kept. */
export const ANSWER_KEPT_FOR = 24 * 60 * 60_000;

/** Answers kept for repeats, sealed. Every change is durable before its promise resolves. */
export interface IdempotencyRecords {
  /** Atomic: of any number of rivals with one key, only one gets `run`. */
  begin(record: RecordKey, fingerprint: string, commandId: string, now: Instant): Promise<Begun>;
  /**
   * Renews the record of a running request: it becomes free only this long after `now`. A record that does not run stays as
   * it is.
   */
  renew(record: RecordKey, now: Instant): Promise<void>;
  /**
   * Keeps the answer until 24 hours after `now`.
   * @param person whose data it may show, by the name of their key. If that key is destroyed, now or later while `erase` looks for
   * the person's answers, the answer's bytes are not kept: only that there was one.
   */
  keep(record: RecordKey, answer: Buffer, now: Instant, person?: string): Promise<void>;
  /**
   * Overwrites the kept answers that may show a person whose key is destroyed; their records stay, so that a repeat does nothing a
   * second time. Again: nothing more happens.
   * @returns how many there were
   */
  erase(person: string): Promise<number>;
  /**
   * Forgets a request whose answer must not be kept (a fault of ours). The next try runs again, under the same command id.
   */
  free(record: RecordKey): Promise<void>;
  close(): Promise<void>;
}
