import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** A load balancer: a new connection goes to the present target, and stays with it. */
export class TcpRouter {
  /** The connections of clients, in their order. */
  readonly connections: Socket[] = [];

  private constructor(
    private readonly server: Server,
    /** The port to which new connections go. */
    public target: number,
  ) {
    server.on('connection', (client: Socket) => {
      const target = connect(this.target, '127.0.0.1');
      client.pipe(target).pipe(client);
      client.on('error', () => undefined).on('close', () => target.destroy());
      target.on('error', () => undefined).on('close', () => client.destroy());
      this.connections.push(client);
    });
  }

  static async start(target: number): Promise<TcpRouter> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new TcpRouter(server, target);
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  close(): void {
    this.server.close();
    for (const each of this.connections) each.destroy();
  }
}
