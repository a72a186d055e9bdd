/** A process, by a name that tells its threads from those of others; a server of one process needs none. */
export interface ServerProcess {
  readonly name: string;
  readonly pid: number;
}

/** A server under measurement. */
export interface Server {
  readonly processes: readonly ServerProcess[];
  /** Connections are dealt to these in turn. */
  readonly ports: readonly number[];
  /** Microseconds of processor time that others have used for it, such as a database's processes; absent if there are none. */
  besides?(): number;
  /** Servers that it uses and whose processor time is shown apart, not counted as its own. */
  readonly uses?: readonly ServerProcess[];
  /** Resolves when the work is done that goes on after an answer; absent: its processes are idle then, and without requests. */
  done?(): Promise<void>;
}

/** A server of one process. */
export function ofOneProcess(pid: number, port: number): Server {
  return { processes: [{ name: '', pid }], ports: [port] };
}
