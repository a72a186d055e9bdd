import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** A caller's line to a server: a TCP proxy that can be stalled and let go, or cut. */
export class Line {
  /** Connections: from the caller, to the server. */
  readonly #pairs = new Map<Socket, Socket>();
  #stalled = false;
  #cut = false;

  private constructor(
    private readonly server: Server,
    private readonly to: number,
  ) {
    server.on('connection', (caller) => this.#connect(caller));
  }

  /** @param to the server's port on this machine */
  static async open(to: number): Promise<Line> {
    const server = createServer({ pauseOnConnect: true });
    const line = new Line(server, to);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return line;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** What the caller sends from now on is kept back; what the server sends comes through. */
  stall(): void {
    this.#stalled = true;
    for (const caller of this.#pairs.keys()) caller.pause();
  }

  /** What was kept back reaches the server, in its order. */
  letGo(): void {
    this.#stalled = false;
    for (const caller of this.#pairs.keys()) caller.resume();
  }

  /** Every connection breaks, what was kept back is lost, and there is no new one for so many milliseconds. */
  async cut(milliseconds: number): Promise<void> {
    this.#cut = true;
    this.#stalled = false;
    for (const [caller, server] of this.#pairs) {
      caller.resetAndDestroy();
      server.resetAndDestroy();
    }
    this.#pairs.clear();
    await new Promise((resolve) => setTimeout(resolve, milliseconds));
    this.#cut = false;
  }

  async close(): Promise<void> {
    await Promise.all([new Promise((resolve) => this.server.close(resolve)), this.cut(0)]);
  }

  #connect(caller: Socket): void {
    if (this.#cut) {
      caller.resetAndDestroy();
      return;
    }
    const server = connect(this.to, '127.0.0.1');
    this.#pairs.set(caller, server);
    for (const [from, into] of [
      [caller, server],
      [server, caller],
    ] as const) {
      from.setNoDelay(true);
      from.on('data', (bytes) => into.write(bytes));
      from.on('end', () => into.end());
      from.on('error', () => into.destroy());
      from.on('close', () => this.#pairs.delete(caller));
    }
    if (!this.#stalled) caller.resume();
  }
}
