import { thisMachine } from '#adapters/machine';
import { type LeaseHolder, type LeaseNote, type LeaseRegister, NO_STREAM, Unavailable } from '#eventsourcing';
import { reasonOf } from './reason.js';
import type { Server } from './server.js';

/** Metadata hides earlier metadata, so there is one event. */
const MANY = 4_000;

interface OnDisk {
  readonly holder?: LeaseHolder;
  /** In digits. */
  readonly marked: string;
}

/**
 * Keeps the note as the metadata of a stream without events: the server deletes earlier notes, so they do not accumulate.
 */
export class ServerLease implements LeaseRegister {
  readonly #stream: string;

  constructor(
    private readonly server: Pick<Server, 'append' | 'readStream'>,
    prefix: string,
    private readonly machine = thisMachine,
  ) {
    this.#stream = `$$${prefix}holdfast_lease`;
  }

  async readLease(): ReturnType<LeaseRegister['readLease']> {
    const found = (await this.#available(() => this.server.readStream(this.#stream, 0, MANY)))?.at(-1);
    const { holder, marked } = (found?.data ?? { marked: '0' }) as OnDisk;
    return { revision: found?.revision ?? NO_STREAM, holder, marked: BigInt(marked), written: found?.created };
  }

  async writeLease(revision: number, { holder, marked }: LeaseNote): Promise<boolean> {
    const data = { ...(holder && { holder }), marked: marked.toString() } satisfies OnDisk;
    const event = { id: this.machine.randomness.uuid(), type: '$metadata', data };
    const answer = await this.#available(() => this.server.append(this.#stream, revision, [event]));
    return answer.kind === 'written';
  }

  async #available<T>(ask: () => Promise<T>): Promise<T> {
    try {
      return await ask();
    } catch (error) {
      throw new Unavailable(`the lease of the event log cannot be used: ${reasonOf(error)}`);
    }
  }
}
