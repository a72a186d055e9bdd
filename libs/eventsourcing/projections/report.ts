import type { Instant, Position } from '#kernel';

/** Where one generation of a view stands. */
export interface GenerationStatus {
  readonly number: number;
  /** `building`: not caught up yet. `ready`: caught up and fed, to be promoted. `stopped`: at an event that it cannot take. */
  readonly state: 'building' | 'ready' | 'live' | 'stopped';
  readonly position: Position;
  /** How far it has come in the log, 0 to 1. */
  readonly progress: number;
  /** Over the last seconds; 0 when it waits. */
  readonly eventsPerSecond: number;
  /** Seconds that a building one will take, about; null when that cannot be told. */
  readonly timeLeft: number | null;
  readonly error: string | null;
}

/** Where one view stands: its live generation, or the one that is built for want of one. */
export interface ViewStatus {
  readonly view: string;
  readonly version: number;
  /** The number of the live generation; null while there is none. */
  readonly generation: number | null;
  readonly position: Position;
  readonly state: 'building' | 'live' | 'stopped';
  /** Events that it is behind the log's head; about, on a log whose positions do not count events. */
  readonly lagEvents: number;
  /** Seconds between the newest event of the log and the last one that it has seen, by their times. */
  readonly lagSeconds: number;
  readonly error: string | null;
  readonly generations: readonly GenerationStatus[];
}

/** A row of a work list that was written. */
export interface DueRow {
  readonly key: string;
  readonly dueAt: Instant;
}

/** What a step of the projector did. */
export interface ProjectorReport {
  readonly views: readonly ViewStatus[];
  readonly head: Position;
  /** Events of other programs that the log's server has brought, and that were left alone. */
  readonly foreign?: number;
  /** The views whose live rows changed, or that have another live generation now. */
  readonly changed: readonly string[];
  /** Per work list, rows that were written: the one that is due first, or all of them where timers need each. */
  readonly due: Readonly<Record<string, readonly DueRow[]>>;
}
