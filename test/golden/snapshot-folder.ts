import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { EmbeddedSnapshotStore } from '#adapters/embedded';
import { thisMachine } from '#adapters/machine';
import { checksumOf, Slices, type Snapshot } from '#eventsourcing';

/** The most snapshots of a golden folder. */
const MOST = 100;

/** The snapshots of a data folder whose service does not run. */
export class SnapshotFolder {
  readonly #path: string;
  readonly #store: EmbeddedSnapshotStore;

  constructor(dataDir: string) {
    this.#path = join(dataDir, 'views', 'snapshots');
    this.#store = new EmbeddedSnapshotStore(this.#path);
  }

  /** The snapshot of a stream. @throws Error if it has none */
  async of(stream: string): Promise<Snapshot> {
    const names = await this.#store.others(new Set(), MOST);
    const name = names.find((each) => each.stream === stream);
    const snapshot = name && (await this.#store.get(name));
    if (snapshot === undefined) throw new Error(`${stream} has no snapshot`);
    return snapshot;
  }

  /** Puts a snapshot there, with the checksum that belongs to it. */
  async put(snapshot: Snapshot): Promise<void> {
    const checksum = await checksumOf(snapshot, new Slices(thisMachine.time));
    await this.#store.put({ ...snapshot, checksum });
  }

  /** The files, whatever they hold. */
  files(): readonly string[] {
    return readdirSync(this.#path).map((name) => join(this.#path, name));
  }

  deleteAll(): void {
    rmSync(this.#path, { recursive: true });
  }
}
