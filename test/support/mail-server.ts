import type { AddressInfo, Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';

/** What a server says instead of yes. */
export interface No {
  readonly code: number;
  readonly words: string;
}

/** How the server behaves. It can change while the server runs. */
export interface Behaviour {
  /** Answers to a command: nothing means yes; `silent`: never; `cut`: the connection breaks. */
  rcpt?: No | 'silent' | 'cut' | undefined;
  from?: No | 'silent' | 'cut' | undefined;
  connect?: No | 'silent' | 'cut' | undefined;
  /** After the whole mail has arrived. `taken-and-cut`: it keeps the mail, and nobody learns that. */
  data?: No | 'silent' | 'cut' | 'taken-and-cut' | undefined;
  /** Milliseconds before each last word. */
  delay?: number | undefined;
}

type Answer = No | 'silent' | 'cut' | undefined;

/** A mail server of a test. It keeps what it takes. */
export class MailServer {
  readonly behaviour: Behaviour = {};
  /** The mails that it took, with the recipient of their envelope. */
  readonly taken: { readonly to: string; readonly from: string; readonly raw: Buffer }[] = [];
  /** How many connections there were, and how many mails arrived as a whole. */
  readonly seen = { connections: 0, mails: 0, most: 0 };
  readonly #server: SMTPServer;
  /** Sockets of a listener outlive the library's own records of them. */
  readonly #sockets = new Set<Socket>();

  private constructor(options: SMTPServerOptions) {
    this.#server = new SMTPServer({
      authOptional: options.onAuth === undefined,
      closeTimeout: 10,
      disabledCommands: options.key === undefined ? ['STARTTLS'] : [],
      onConnect: (_, done) => {
        this.seen.connections += 1;
        this.seen.most = Math.max(this.seen.most, this.#sockets.size);
        this.#answer(this.behaviour.connect, done);
      },
      onMailFrom: (_, __, done) => this.#answer(this.behaviour.from, done),
      onRcptTo: (_, __, done) => this.#answer(this.behaviour.rcpt, done),
      onData: (stream, { envelope }, done) => {
        const take = (raw: Buffer): void => {
          this.seen.mails += 1;
          const { data, delay = 0 } = this.behaviour;
          const from = envelope.mailFrom === false ? '' : envelope.mailFrom.address;
          if (data === undefined || data === 'taken-and-cut')
            this.taken.push({ to: envelope.rcptTo.map(({ address }) => address).join(), from, raw });
          setTimeout(() => this.#answer(data === 'taken-and-cut' ? 'cut' : data, done), delay);
        };
        // A client that is gone before the end of its mail has sent none.
        void buffer(stream).then(take, done);
      },
      ...options,
    });
    // A client that gives up is no failure of the test.
    this.#server.on('error', () => undefined);
    this.#server.server.on('connection', (socket: Socket) => {
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
    });
  }

  static async start(options: SMTPServerOptions = {}): Promise<MailServer> {
    const server = new MailServer(options);
    await new Promise<void>((listening) => server.#server.listen(0, '127.0.0.1', listening));
    return server;
  }

  get port(): number {
    return (this.#server.server.address() as AddressInfo).port;
  }

  /** Open connections. */
  get open(): number {
    return this.#sockets.size;
  }

  /** Breaks all connections; only without TLS, under which Node’s sockets do not survive that. */
  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  async stop(): Promise<void> {
    await new Promise<void>((closed) => this.#server.close(closed));
  }

  #answer(answer: Answer, done: (error?: Error) => void): void {
    if (answer === 'silent') return;
    if (answer === 'cut') this.cut();
    else if (answer === undefined) done();
    else done(Object.assign(new Error(answer.words), { responseCode: answer.code }));
  }
}
