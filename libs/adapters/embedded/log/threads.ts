import type { Flat } from './batch.js';
import type { Failpoint } from './failpoint.js';

/** The start data of the writer's thread. */
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
  /**
   * `written`: the position of the batch's last event, if all of it was written; otherwise the answers say what was.
   * `commits`: in all. `grown`: the WAL needs a checkpoint.
   */
  | {
      readonly kind: 'done';
      readonly written: number | undefined;
      readonly answers: number[];
      readonly commits: number;
      readonly grown: boolean;
    }
  /** The disk was full, or still is; `answers` has the part of the batch that was done. The next batch is tried. */
  | { readonly kind: 'full'; readonly reason: string; readonly answers: number[] }
  /** The connection is closed; `answers` has the part of the batch that was done. */
  | { readonly kind: 'failed'; readonly reason: string; readonly answers: number[] };

export interface CheckpointerData {
  readonly file: string;
}

export type CheckpointerRequest = 'checkpoint' | 'close';

/** `full`: the disk is full; what was not copied stays in the WAL. */
export type CheckpointerMessage =
  | { readonly kind: 'done' }
  | { readonly kind: 'full' }
  | { readonly kind: 'failed'; readonly reason: string };
