import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** The direction in which nothing passes while a line is stalled. */
export type Way = 'requests' | 'answers' | 'both';

/** One caller's line to a server, the double or a real one, which tests can stall, release and cut. */
export class Line {
  #server: Server | undefined;
  readonly #pairs = new Set<readonly [caller: Socket, server: Socket]>();
  #stalled: Way | undefined;

  private constructor(
    private readonly to: { readonly host: string; readonly port: number },
    readonly port: number,
  ) {}

  /** The connection string of a single node, for the caller. */
  get url(): string {
    return `esdb://127.0.0.1:${this.port}?tls=false`;
  }

  /** @param port its own; any free one by default */
  static async to(server: { readonly host: string; readonly port: number }, port = 0): Promise<Line> {
    const first = createServer().listen(port, '127.0.0.1');
    await once(first, 'listening');
    const line = new Line(server, (first.address() as AddressInfo).port);
    line.#listen(first);
    return line;
  }

  /** From now on, everything sent waits on the way; connections stay, and new ones can be made. */
  stall(way: Way = 'both'): void {
    this.#stalled = way;
    for (const pair of this.#pairs) this.#flow(pair);
  }

  /** What waited arrives, late. */
  release(): void {
    this.#stalled = undefined;
    for (const pair of this.#pairs) this.#flow(pair);
  }

  /** Connections break, everything that waited is lost, and nothing answers any more. */
  cut(): void {
    this.#server?.close();
    this.#server = undefined;
    this.breakConnections();
  }

  /** Connections break; new ones can be made. */
  breakConnections(): void {
    for (const [caller, server] of this.#pairs) {
      caller.resetAndDestroy();
      server.destroy();
    }
  }

  /** Callers may connect again after a cut. */
  async mend(): Promise<void> {
    if (this.#server !== undefined) return;
    const next = createServer().listen(this.port, '127.0.0.1');
    await once(next, 'listening');
    this.#listen(next);
  }

  #listen(server: Server): void {
    this.#server = server;
    server.on('connection', (caller) => {
      const pair = [caller, connect(this.to.port, this.to.host)] as const;
      this.#pairs.add(pair);
      const [, onward] = pair;
      this.#join(caller, onward, pair);
      this.#join(onward, caller, pair);
      this.#flow(pair);
    });
  }

  #join(from: Socket, to: Socket, pair: readonly [Socket, Socket]): void {
    from.setNoDelay(true);
    from.on('data', (bytes) => {
      if (!to.write(bytes)) from.pause();
    });
    to.on('drain', () => this.#flow(pair));
    // The other side learns that a connection ended, but cannot learn why.
    from.on('error', () => undefined);
    from.on('close', () => {
      this.#pairs.delete(pair);
      to.destroy();
    });
  }

  #flow([caller, server]: readonly [Socket, Socket]): void {
    const stalled = this.#stalled;
    const [requests, answers] = [
      stalled === 'requests' || stalled === 'both',
      stalled === 'answers' || stalled === 'both',
    ];
    if (requests) caller.pause();
    else if (!server.writableNeedDrain) caller.resume();
    if (answers) server.pause();
    else if (!caller.writableNeedDrain) server.resume();
  }
}
