/** A server under measurement. */
export interface Server {
  readonly pid: number;
  readonly port: number;
  /** Microseconds of processor time that other processes have used for it, such as a database's; absent if there are none. */
  besides?(): number;
}
