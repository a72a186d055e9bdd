import type { Instant, Position } from '#kernel';

/** The status of one generation. */
export interface GenerationStatus {
  readonly number: number;
  /**
   * `building`: not caught up yet. `ready`: caught up, fed and ready for promotion. `stopped`: at an event that it cannot
   * take. `failed`, `cancelled`: the generation is gone; only the process remembers it.
   */
  readonly state: 'building' | 'ready' | 'live' | 'stopped' | 'failed' | 'cancelled';
  readonly position: Position;
  /** How much of the log it has seen, 0 to 1. */
  readonly progress: number;
  /** Over the last seconds; 0 while it waits. */
  readonly eventsPerSecond: number;
  /** The estimated seconds until a build is done; null if unknown. */
  readonly timeLeft: number | null;
  readonly error: string | null;
}

/** The status of one view: of its live generation, or of the one that is built first. */
export interface ViewStatus {
  readonly view: string;
  readonly version: number;
  /** The number of the live generation; null if there is none. */
  readonly generation: number | null;
  readonly position: Position;
  readonly state: 'building' | 'live' | 'stopped';
  /** Events between the view and the log's head; an estimate if positions count bytes. null: unknown yet. */
  readonly lagEvents: number | null;
  /** Seconds between the times of the log's newest event and the last event that the view has seen. */
  readonly lagSeconds: number;
  readonly error: string | null;
  /** The event that it cannot take: its position in digits, and `stream@revision`; absent while it runs. */
  readonly stoppedAt?: { readonly position: string; readonly event: string };
  readonly generations: readonly GenerationStatus[];
}

/** A row of a work list. */
export interface DueRow {
  readonly key: string;
  /** Infinity if the row was removed. */
  readonly dueAt: Instant;
}

/** The result of one step of the projector. */
export interface ProjectorReport {
  readonly views: readonly ViewStatus[];
  readonly head: Position;
  /** Events of other programs that the log's server sent. The projector ignores them. */
  readonly eventsOfOthers?: number;
  /** The views with changed live rows or another live generation. */
  readonly changed: readonly string[];
  /** Per work list, the written row that is due first; or all of them and the removed ones, if timers need each. */
  readonly due: Readonly<Record<string, readonly DueRow[]>>;
}

/** A batch of events that the live views have taken, for a trace. */
export interface FedBatch {
  /** The position before its first event, and that of its last. */
  readonly after: Position;
  readonly upTo: Position;
  readonly events: number;
  /** How many views had changed rows. */
  readonly views: number;
  /** Milliseconds. */
  readonly took: number;
}
