import type { Flat } from './batch.js';

/** Kills the process right after the k-th append is durable (0: before the first is written). For tests of crashes. */
export interface Failpoint {
  readonly afterAppend: number;
}

/** What the writer's thread is started with. */
export interface WriterData {
  readonly file: string;
  readonly splitAppends: boolean;
  readonly failpoint: Failpoint | undefined;
}

/** `finish`: the checkpointer has copied what it found; the writer copies the rest. `close` ends the thread. */
export type WriterRequest = Flat | 'finish' | 'close';

export type WriterMessage =
  | { readonly kind: 'ready' }
  /** The file cannot be used: see LogUnusable. */
  | { readonly kind: 'refused'; readonly reason: string }
  /** `commits`: in all. `grown`: the WAL wants a checkpoint. */
  | { readonly kind: 'done'; readonly answers: number[]; readonly commits: number; readonly grown: boolean }
  /** There was no room on the disk, or there still is none; `answers` as far as the batch came. The next one is tried. */
  | { readonly kind: 'full'; readonly reason: string; readonly answers: number[] }
  /** The connection is closed; `answers` as far as the batch came. */
  | { readonly kind: 'failed'; readonly reason: string; readonly answers: number[] };

export interface CheckpointerData {
  readonly file: string;
}

export type CheckpointerRequest = 'checkpoint' | 'close';

/** `full`: there is no room on the disk; what was not copied stays in the WAL. */
export type CheckpointerMessage =
  { readonly kind: 'done' } | { readonly kind: 'full' } | { readonly kind: 'failed'; readonly reason: string };
