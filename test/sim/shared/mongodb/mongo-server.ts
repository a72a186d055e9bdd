import type { World } from '../../world/world.js';
import { ViewsData } from '../../world/view-data.js';
import { RemoteServer } from '../network.js';
import type { Document } from './documents.js';

/**
 * A replica set of MongoDB as clients of its primary see it. A write is visible at once, and promised when most of the members
 * have it; a failover before that takes it back.
 */
export class MongoServer extends RemoteServer {
  readonly views = new ViewsData();
  readonly #collections = new Map<string, Map<string, Document>>();
  /** Writes that are not promised yet, and how they are taken back. */
  readonly #unpromised = new Set<() => void>();
  #hasPrimary = true;

  constructor(world: World) {
    super(world, 'mongodb');
  }

  get hasPrimary(): boolean {
    return this.#hasPrimary && this.state !== 'down';
  }

  collection(name: string): Map<string, Document> {
    const there = this.#collections.get(name) ?? new Map<string, Document>();
    this.#collections.set(name, there);
    return there;
  }

  /**
   * Notes a write that nobody was promised yet.
   * @param undo takes it back
   * @returns promises it; false if it was taken back
   */
  unpromised(undo: () => void): () => boolean {
    this.#unpromised.add(undo);
    return () => this.#unpromised.delete(undo);
  }

  /** The primary is lost with what only it had; there is another one after this many milliseconds. */
  failOver(milliseconds: number): void {
    if (!this.#hasPrimary) return;
    const { scheduler, trace } = this.world;
    trace.tell(this.name, 'loses its primary');
    this.#hasPrimary = false;
    for (const undo of [...this.#unpromised].reverse()) undo();
    this.#unpromised.clear();
    this.breakConnections();
    scheduler.after(milliseconds, () => {
      this.#hasPrimary = true;
      trace.tell(this.name, 'has a primary');
    });
  }
}
