import type { Seeded } from '../core/seeded.js';
import type { Life } from './life.js';
import type { World } from './world.js';

/** How a file of one program fails. */
export interface FileErrors {
  /** A sync failed: the file takes nothing more in this process. */
  failed(): Error;
  /** The disk is full; the next try may succeed. */
  full(): Error;
}

interface Write {
  readonly apply: () => unknown;
  readonly resolve: (value: never) => void;
  readonly reject: (error: Error) => void;
}

/** What happens to the files of a process that ends without warning. */
export type Crash = 'kill' | 'power';

/**
 * A file that one process writes, with a sync for everything that waits together. What is under way at a crash is on disk as a
 * whole or not at all, as a transaction is; what still waits is lost.
 */
export class SyncedFile {
  readonly #random: Seeded;
  #waiting: Write[] = [];
  #syncing: Write[] = [];
  #failure: Error | undefined;
  #closed = false;

  constructor(
    private readonly world: World,
    private readonly owner: Life,
    name: string,
    private readonly errors: FileErrors,
    private readonly on: { readonly failed?: (error: Error) => void; readonly full?: (is: boolean) => void } = {},
  ) {
    this.#random = world.random.of(`file ${name} ${world.scheduler.steps}`);
  }

  /** Resolves with what `apply` returns once that is on disk. */
  write<T>(apply: () => T): Promise<T> {
    return new Promise((resolve, reject) => {
      if (this.#failure !== undefined) {
        reject(this.#failure);
        return;
      }
      this.#waiting.push({ apply, resolve, reject });
      if (this.#syncing.length === 0) this.#sync();
    });
  }

  /** @throws the failure, if there was one */
  assertOpen(): void {
    if (this.#failure !== undefined) throw this.#failure;
  }

  /** Whether somebody still waits for a sync. */
  get busy(): boolean {
    return this.#syncing.length > 0;
  }

  /** The process ends without warning. */
  crash(): void {
    if (this.#syncing.length > 0 && this.world.faults.strikes('disk: a crash finds the last transaction on disk')) {
      for (const { apply } of this.#syncing) apply();
    }
    this.#closed = true;
  }

  #sync(): void {
    this.#syncing = this.#waiting;
    this.#waiting = [];
    const { faults, scheduler } = this.world;
    const long = faults.strikes('disk: a sync takes long');
    const takes = long ? this.#random.between(50, 3_000) : this.#random.between(0.2, 4);
    scheduler.after(takes, () => this.#synced(), this.owner);
  }

  #synced(): void {
    if (this.#closed) return;
    const { faults, scheduler } = this.world;
    const batch = this.#syncing;
    this.#syncing = [];
    if (faults.strikes('disk: a sync fails')) {
      if (this.#random.chance(0.5)) for (const { apply } of batch) apply();
      this.#failure = this.errors.failed();
      for (const { reject } of [...batch, ...this.#waiting.splice(0)]) reject(this.#failure);
      this.owner.diskFailedAt ??= scheduler.now;
      this.on.failed?.(this.#failure);
      return;
    }
    if (faults.strikes('disk: the disk is full for a while')) {
      if (this.#random.chance(0.3)) for (const { apply } of batch) apply();
      this.on.full?.(true);
      for (const { reject } of batch) reject(this.errors.full());
    } else {
      this.on.full?.(false);
      for (const { apply, resolve } of batch) resolve(apply() as never);
    }
    if (this.#waiting.length > 0) this.#sync();
  }
}
