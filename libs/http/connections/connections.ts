import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Server as TlsServer } from 'node:https';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { FastifyInstance } from 'fastify';
import type { Time } from '#eventsourcing';

/** A caller's connection. */
export interface Connection {
  /** As the server accepted it. */
  readonly accepted: Socket;
  /** The socket that calls come on: with TLS, another one. */
  socket: Socket;
  /** When it was accepted, in milliseconds of `Time.monotonic`. */
  readonly since: number;
  /**
   * The answer that is under way, or the time of the last one; undefined before the first call. Nothing else of a call is kept,
   * because an answer leads to its request, and so to its secrets (ruling D7).
   */
  call: ServerResponse | number | undefined;
  /** What the caller had taken of answers when somebody last looked. */
  taken: Taken;
  /** Bytes that the caller had sent then, and since when no more. */
  sent: { readonly bytes: number; readonly since: number };
}

/** What a caller has taken of their answers, and since when they have taken no more. */
export interface Taken {
  /** Bytes that the operating system has accepted. */
  readonly bytes: number;
  /** Whether the answer that was under way is written to its end. */
  readonly whole: boolean;
  readonly since: number;
}

/**
 * The open connections of a server, from now on. Call it before the server listens.
 * @param listening what listens: the server itself, or another one that hands its requests over
 */
export function watchConnections(
  server: FastifyInstance,
  time: Pick<Time, 'monotonic'>,
  listening: Server = server.server,
): Connections {
  const connections = new Connections(listening, time);
  server.addHook('onResponse', ({ raw: { socket } }, { raw }, done) => {
    connections.answered(socket, raw);
    done();
  });
  return connections;
}

/** The open connections of a server. */
export class Connections {
  readonly #open = new Set<Connection>();
  readonly #bySocket = new WeakMap<Socket, Connection>();
  /** Those whose TLS handshake is under way, by the caller's end. */
  readonly #beginning = new Map<string, Connection>();
  #admits: (connection: Connection) => boolean = () => true;

  constructor(
    readonly server: Server | TlsServer,
    private readonly time: Pick<Time, 'monotonic'>,
  ) {
    const speaksTls = 'setSecureContext' in server;
    const listeners = server.listeners('connection') as ((accepted: Socket) => void)[];
    server.removeAllListeners('connection');
    server.on('connection', (accepted: Socket) => {
      const connection = this.#add(accepted, speaksTls);
      // One that is refused costs no parser, no handshake and no timer: many come at once.
      if (this.#admits(connection)) for (const listen of listeners) listen.call(server, accepted);
      else accepted.destroy();
    });
    server.prependListener('secureConnection', (socket: TLSSocket) => this.#secure(socket));
    server.prependListener('request', ({ socket }: IncomingMessage, answer: ServerResponse) => {
      const connection = this.#bySocket.get(socket);
      if (connection !== undefined) connection.call = answer;
    });
  }

  /** Closes a new connection, before anything of it is read, unless this admits it. */
  admitIf(admits: (connection: Connection) => boolean): void {
    this.#admits = admits;
  }

  get open(): ReadonlySet<Connection> {
    return this.#open;
  }

  /** The connection that a socket belongs to; undefined after it has closed, and for one that no server accepted. */
  of(socket: Socket): Connection | undefined {
    return this.#bySocket.get(socket);
  }

  /** The last byte of an answer is on its way. With pipelining, the next call may have come. */
  answered(socket: Socket, answer: ServerResponse): void {
    const connection = this.#bySocket.get(socket);
    if (connection?.call === answer) connection.call = this.time.monotonic();
  }

  /** Looks how much the caller has taken by now. */
  takenOf(connection: Connection): Taken {
    const { socket, call, taken } = connection;
    const bytes = socket.bytesWritten - queuedOf(socket);
    const whole = typeof call !== 'object' || call.writableEnded;
    if (bytes !== taken.bytes || whole !== taken.whole)
      connection.taken = { bytes, whole, since: this.time.monotonic() };
    return connection.taken;
  }

  /** Looks since when the caller has sent nothing. */
  sentSince(connection: Connection): number {
    const bytes = connection.socket.bytesRead;
    if (bytes !== connection.sent.bytes) connection.sent = { bytes, since: this.time.monotonic() };
    return connection.sent.since;
  }

  #add(accepted: Socket, speaksTls: boolean): Connection {
    const since = this.time.monotonic();
    const taken = { bytes: 0, whole: true, since };
    const connection: Connection = {
      accepted,
      socket: accepted,
      since,
      call: undefined,
      taken,
      sent: { bytes: 0, since },
    };
    this.#open.add(connection);
    this.#bySocket.set(accepted, connection);
    const end = endOf(accepted);
    if (speaksTls) this.#beginning.set(end, connection);
    accepted.once('close', () => {
      this.#open.delete(connection);
      if (this.#beginning.get(end) === connection) this.#beginning.delete(end);
    });
    return connection;
  }

  #secure(socket: TLSSocket): void {
    const end = endOf(socket);
    const connection = this.#beginning.get(end);
    if (connection === undefined) return;
    this.#beginning.delete(end);
    connection.socket = socket;
    this.#bySocket.set(socket, connection);
  }
}

/** A socket's handle, as Node itself looks at it before it closes a silent socket. There is no public way. */
interface Handled {
  readonly _handle?: { readonly writeQueueSize: number } | null;
}

/** Bytes that the operating system has not accepted yet. Streams count a large chunk as waiting until its last byte is gone. */
function queuedOf(socket: Socket): number {
  return (socket as Handled)._handle?.writeQueueSize ?? 0;
}

/** The caller's end of a connection, by which the accepted socket of a TLS socket is found. */
function endOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
