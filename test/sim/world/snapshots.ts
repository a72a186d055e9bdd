import { linkage } from '#engagement/model';
import {
  checksumOf,
  Slices,
  type Snapshot,
  type SnapshotName,
  type SnapshotOptions,
  type SnapshotStore,
} from '#eventsourcing';
import { inventory } from '#purchasing/model';
import { SnapshotsInMemory } from '../../support/snapshots-in-memory.js';
import type { Life } from './life.js';
import type { World } from './world.js';

/** A snapshot is due after so many events: no world has thousands. */
const EVERY = 6;
/** Milliseconds of a call. */
const TAKES = 0.5;
/** What the parts of the second build are changed by, so that they mean nothing to the first one. */
const SECOND = 0x5a;

/** The digests of two builds that differ in nothing but what their snapshots look like. */
const BUILDS = ['aa', 'bb'] as const;

/** The snapshots of an installation, and the builds that its processes have. */
export class SnapshotData {
  readonly kept = new SnapshotsInMemory();
  /** Earlier snapshots, which may come back. */
  readonly earlier: Snapshot[] = [];
  #build = 0;

  /** The digest of the build that the next process runs: now and then, somebody upgrades, or goes back. */
  next(world: World): string {
    if (world.faults.strikes('snapshots: another build is started')) this.#build = 1 - this.#build;
    return BUILDS[this.#build] ?? BUILDS[0];
  }
}

/** What a process reaches of the snapshots: any of them may be lost, torn, or of another history. */
export class SimulatedSnapshots implements SnapshotStore {
  readonly #digest: string;

  constructor(
    private readonly world: World,
    private readonly life: Life,
    private readonly data: SnapshotData,
  ) {
    this.#digest = data.next(world);
  }

  /** What the process is told of snapshots. */
  get options(): Pick<SnapshotOptions, 'folds' | 'every'> {
    return { folds: [inventory, linkage].map((decider) => ({ decider, digest: this.#digest })), every: EVERY };
  }

  async get(name: SnapshotName): Promise<Snapshot | undefined> {
    const { faults } = this.world;
    await this.#moment();
    if (faults.strikes('snapshots: all are deleted'))
      for (const each of this.data.kept.all) await this.data.kept.delete(each);
    const snapshot = this.#earlierOf(name) ?? (await this.data.kept.get(name));
    if (snapshot === undefined) return undefined;
    const own = await this.#ofBuild(snapshot);
    const { parts } = own;
    if (faults.strikes('snapshots: one is torn')) return { ...own, parts: parts.slice(1) };
    const some = { ...own, parts: parts.slice(1) };
    if (faults.strikes('snapshots: one is of another log')) return whole({ ...some, log: 'another log' }, this.life);
    if (faults.strikes('snapshots: one is of another stream')) return whole({ ...some, first: 'another' }, this.life);
    if (faults.strikes('snapshots: one is of another history')) return whole({ ...some, event: 'another' }, this.life);
    return own;
  }

  async put(snapshot: Snapshot): Promise<void> {
    await this.#moment();
    const before = await this.data.kept.get(snapshot);
    if (before !== undefined) this.data.earlier.push(before);
    await this.data.kept.put(await this.#ofBuild(snapshot));
  }

  async delete(name: SnapshotName): Promise<void> {
    await this.#moment();
    await this.data.kept.delete(name);
  }

  async others(digests: ReadonlySet<string>, max: number): Promise<readonly SnapshotName[]> {
    await this.#moment();
    return this.data.kept.others(digests, max);
  }

  /** The time of a call, which may fail, or never be answered. */
  async #moment(): Promise<void> {
    const { faults, scheduler } = this.world;
    const isSilent = faults.strikes('snapshots: a call is never answered');
    await new Promise<void>((resolve) => {
      if (!isSilent) scheduler.after(TAKES, resolve, this.life);
    });
    if (faults.strikes('snapshots: a call fails')) throw new Error('the snapshots cannot be reached');
  }

  /** An earlier snapshot that comes back. */
  #earlierOf({ stream, digest }: SnapshotName): Snapshot | undefined {
    const earlier = this.data.earlier.find((each) => each.stream === stream && each.digest === digest);
    return earlier !== undefined && this.world.faults.strikes('snapshots: an earlier one comes back')
      ? earlier
      : undefined;
  }

  /** A snapshot as this build writes or reads it. The second build changes each byte. */
  #ofBuild(snapshot: Snapshot): Snapshot | Promise<Snapshot> {
    if (this.#digest === BUILDS[0]) return snapshot;
    const parts = snapshot.parts.map((part) => part.map((byte) => byte ^ SECOND));
    return whole({ ...snapshot, parts }, this.life);
  }
}

/** The snapshot with the checksum that belongs to it. */
async function whole(snapshot: Snapshot, { machine }: Life): Promise<Snapshot> {
  return { ...snapshot, checksum: await checksumOf(snapshot, new Slices(machine.time)) };
}
