/** A right that one process at a time has, such as feeding the views. It lapses by itself when its holder falls silent. */
export interface Leases {
  /**
   * Waits for the lease, and then runs `work` for as long as it is held: `signal` aborts when it is lost or given back.
   * When `work` ends or rejects the lease is given back at once, and waited for again after a pause. Another process takes
   * over within a few seconds from a holder that fell silent.
   * @returns how to give it back and wait no more; resolves once `work` has ended
   */
  hold(name: string, work: (signal: AbortSignal) => Promise<void>): { close(): Promise<void> };
  close(): Promise<void>;
}
