import type { Position } from '#kernel';

/** Names a snapshot: each build of the fold has its own of each stream. */
export interface SnapshotName {
  readonly stream: string;
  /** Of everything that the fold consists of, in hex digits. */
  readonly digest: string;
}

/** A copy of a stream's state. */
export interface Snapshot extends SnapshotName {
  /** The identity of the log. */
  readonly log: string;
  /** The last event that the state has: its revision, its position and its id. */
  readonly revision: number;
  readonly position: Position;
  readonly event: string;
  /** The id of the stream's first event. */
  readonly first: string;
  readonly parts: readonly Uint8Array[];
  /** SHA-256 over all of it, in hex digits. */
  readonly checksum: string;
}

/**
 * Keeps snapshots. It is a cache: whatever it loses costs only time, so nothing is synced, and every call may reject. Whoever reads
 * a snapshot compares its checksum.
 */
export interface SnapshotStore {
  /** The snapshot; undefined if there is none, or not all of it. */
  get(name: SnapshotName): Promise<Snapshot | undefined>;
  /** Replaces the snapshot of this name. A reader gets the former one or this one, or none. */
  put(snapshot: Snapshot): Promise<void>;
  delete(name: SnapshotName): Promise<void>;
  /** The names of up to `max` snapshots with none of these digests. */
  others(digests: ReadonlySet<string>, max: number): Promise<readonly SnapshotName[]>;
}
