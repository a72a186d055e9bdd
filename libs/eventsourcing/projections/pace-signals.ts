/** The places in the memory. */
const [STATE, HURRIED] = [0, 1] as const;
/** What the projector does. Busy, it will look at the log again when it has done its batch; so it will after its rest. */
export const PaceState = { ASLEEP: 0, BUSY: 1, RESTING: 2 } as const;
export type PaceState = (typeof PaceState)[keyof typeof PaceState];

/**
 * Memory that the projector's thread shares with the thread that appends and reads. A message wakes a thread, which costs more
 * than what it says: so only those messages are sent that the projector needs.
 */
export class PaceSignals {
  readonly #flags: Int32Array;

  constructor(readonly memory = new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT)) {
    this.#flags = new Int32Array(memory);
  }

  /** Something was appended. @returns whether the projector needs a message, because it would not look by itself */
  appended(): boolean {
    return Atomics.load(this.#flags, STATE) === PaceState.ASLEEP;
  }

  /** A reader waits. @returns whether the projector needs a message, because it rests; otherwise it notices after its batch */
  hurry(): boolean {
    Atomics.store(this.#flags, HURRIED, 1);
    return Atomics.load(this.#flags, STATE) === PaceState.RESTING;
  }

  /** The projector says what it does now, before it does it. */
  now(state: PaceState): void {
    Atomics.store(this.#flags, STATE, state);
  }

  /** Whether a reader has waited since the projector asked last. */
  takeHurry(): boolean {
    return Atomics.exchange(this.#flags, HURRIED, 0) === 1;
  }
}
