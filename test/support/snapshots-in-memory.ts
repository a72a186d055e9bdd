import type { Snapshot, SnapshotName, SnapshotStore } from '#eventsourcing';

/** Snapshots in memory. */
export class SnapshotsInMemory implements SnapshotStore {
  readonly #all = new Map<string, Snapshot>();

  /** The snapshots that are there. */
  get all(): readonly Snapshot[] {
    return [...this.#all.values()];
  }

  async get(name: SnapshotName): Promise<Snapshot | undefined> {
    return this.#all.get(keyOf(name));
  }

  async put(snapshot: Snapshot): Promise<void> {
    this.#all.set(keyOf(snapshot), { ...snapshot, parts: snapshot.parts.map((part) => Uint8Array.from(part)) });
  }

  async delete(name: SnapshotName): Promise<void> {
    this.#all.delete(keyOf(name));
  }

  async others(digests: ReadonlySet<string>, max: number): Promise<readonly SnapshotName[]> {
    return this.all
      .filter(({ digest }) => !digests.has(digest))
      .slice(0, max)
      .map(({ stream, digest }) => ({ stream, digest }));
  }
}

function keyOf({ stream, digest }: SnapshotName): string {
  return `${digest} ${stream}`;
}
