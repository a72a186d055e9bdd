import type { ProjectorReport } from './report.js';

/** The orders that operators may give to projections (ruling G6). */
export type ProjectionOrder =
  /** Builds a generation beside the live one. */
  | { readonly verb: 'rebuild'; readonly view: string }
  /**
   * Makes a finished generation that has caught up the live one. An older generation is possible too: that is the way back.
   */
  | { readonly verb: 'promote'; readonly view: string; readonly generation: number }
  /** Ends a rebuild and drops it: a generation that is not live yet and newer than the live one. */
  | { readonly verb: 'cancel'; readonly view: string; readonly generation: number }
  /** Drops a finished generation that is not live. */
  | { readonly verb: 'drop'; readonly view: string; readonly generation: number }
  /** Tries the event again that a view stopped at. */
  | { readonly verb: 'resume'; readonly view: string }
  /** Skips the event that the view stopped at, which is at this position, in digits. */
  | { readonly verb: 'skip'; readonly view: string; readonly position: string };

/** The outcome of an order; `refused` says why, in a message for operators. */
export type OrderOutcome =
  | { readonly kind: 'done'; readonly generation: number }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'refused'; readonly reason: string };

/** The projector as processes see it, whether they run it or not. */
export interface Projections {
  /** The projector's last report; undefined before the first one. */
  report(): ProjectorReport | undefined;
  /** @throws Unavailable if no projector answers within ten seconds */
  order(order: ProjectionOrder): Promise<OrderOutcome>;
}
