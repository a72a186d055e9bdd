import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { RunningService } from './running-service.js';

/** A raw connection, and everything received on it. */
export class Line {
  received = '';
  private constructor(readonly socket: Socket) {
    socket.on('data', (bytes: Buffer) => (this.received += bytes.toString()));
    socket.on('error', () => undefined);
  }

  static async to(service: Pick<RunningService, 'url'>): Promise<Line> {
    const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
    await once(socket, 'connect');
    return new Line(socket);
  }

  /** Sends bytes and waits until the service closes the connection. */
  async untilClosed(bytes: string | Buffer): Promise<string> {
    const closed = once(this.socket, 'close');
    this.socket.write(bytes);
    await closed;
    return this.received;
  }
}
