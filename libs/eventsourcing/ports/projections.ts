import type { ProjectorReport } from '../projections/report.js';

/** What operators may ask of projections (ruling G6). */
export type ProjectionOrder =
  /** Builds a generation beside the live one. */
  | { readonly verb: 'rebuild'; readonly view: string }
  /** Makes a finished generation that has caught up the live one; an older one too, which is how to go back. */
  | { readonly verb: 'promote'; readonly view: string; readonly generation: number }
  /** Ends a rebuild, and drops what it has built: one that is not live yet, and newer than what is. */
  | { readonly verb: 'cancel'; readonly view: string; readonly generation: number }
  /** Drops a finished generation that is not live. */
  | { readonly verb: 'drop'; readonly view: string; readonly generation: number }
  /** Tries again the event that a view stopped at. */
  | { readonly verb: 'resume'; readonly view: string }
  /** Goes on behind the event that a view stopped at, as if it concerned the view in nothing. */
  | { readonly verb: 'skip'; readonly view: string };

/** What became of an order; `refused` says why, in words for operators. */
export type OrderOutcome =
  | { readonly kind: 'done'; readonly generation: number }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'refused'; readonly reason: string };

/** The projector as the processes see it, whether they run it or not. */
export interface Projections {
  /** What it last told; undefined before its first word. */
  report(): ProjectorReport | undefined;
  /** @throws Unavailable when no projector answers within ten seconds */
  order(order: ProjectionOrder): Promise<OrderOutcome>;
}
