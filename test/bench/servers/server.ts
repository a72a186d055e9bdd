/** A server under measurement. */
export interface Server {
  readonly pid: number;
  readonly port: number;
}
