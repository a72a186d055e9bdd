import type { StateNews } from '#backup';

/** What a service says to the process that takes a backup of it. */
export type ToBackup =
  | { readonly kind: 'order'; readonly folder: string; readonly keep: string | undefined }
  /** Rows of what it keeps beside its log, in order. */
  | { readonly kind: 'news'; readonly news: readonly StateNews[] }
  /** The last row was sent; or it failed. */
  | { readonly kind: 'over'; readonly failure: string | undefined };

/** What that process says. */
export type FromBackup =
  /** It needs the rows. */
  | { readonly kind: 'ask' }
  | { readonly kind: 'progress'; readonly what: string; readonly done: number; readonly of: number | undefined }
  | { readonly kind: 'warning'; readonly words: string }
  | { readonly kind: 'taken'; readonly events: number; readonly bytes: number; readonly inAll: number }
  | { readonly kind: 'failed'; readonly words: string };
