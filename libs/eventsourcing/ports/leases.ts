/** A right that one process at a time has, such as feeding the views. It lapses when its holder falls silent. */
export interface Leases {
  /**
   * Waits for the lease, then runs `work` while it is held: `signal` aborts when the lease is lost or given back. When
   * `work` ends or rejects, the lease is given back, and after a pause this waits for it again. Another process takes over
   * within a few seconds from a silent holder.
   * @returns how to give it back and stop waiting; resolves once `work` has ended
   */
  hold(name: string, work: (signal: AbortSignal) => Promise<void>): { close(): Promise<void> };
  close(): Promise<void>;
}
