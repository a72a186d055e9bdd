import { basename, dirname } from 'node:path';

/** A V8 CPU profile, as DevTools opens it. */
export interface CpuProfile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number };
    readonly children?: readonly number[];
  }[];
  readonly samples: readonly number[];
  /** Microseconds. */
  readonly timeDeltas: readonly number[];
}

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly message: string };
}

/** Microseconds between two samples. */
const EVERY = 250;

/** Sends commands of the inspector's protocol to one thread. */
class Session {
  readonly #waiting = new Map<number, PromiseWithResolvers<unknown>>();
  #last = 0;

  constructor(private readonly write: (text: string) => void) {}

  ask(method: string, params: object = {}): Promise<unknown> {
    const id = ++this.#last;
    const answer = Promise.withResolvers<unknown>();
    this.#waiting.set(id, answer);
    this.write(JSON.stringify({ id, method, params }));
    return answer.promise;
  }

  receive({ id, result, error }: Message): void {
    const answer = this.#waiting.get(id ?? 0);
    if (error === undefined) answer?.resolve(result);
    else answer?.reject(new Error(error.message));
  }
}

/** Profiles all threads of a process that runs with Node's inspector. */
export class Inspector {
  /** By the name of the thread. */
  readonly #threads = new Map<string, Session>();
  readonly #workers = new Map<string, Session>();
  /** Threads that start later have no profile. */
  readonly #profiled = new Map<string, Session>();

  private constructor(
    private readonly socket: WebSocket,
    private readonly main: Session,
  ) {
    this.#threads.set('main', main);
  }

  /** @param url as Node prints it */
  static async connect(url: string): Promise<Inspector> {
    const socket = new WebSocket(url);
    const inspector = new Inspector(socket, new Session((text) => socket.send(text)));
    await new Promise<void>((resolve, reject) => {
      socket.addEventListener('open', () => resolve());
      socket.addEventListener('error', () => reject(new Error(`cannot connect to ${url}`)));
    });
    socket.addEventListener('message', ({ data }) => inspector.#receive(JSON.parse(String(data)) as Message));
    // Its answer comes after the workers that run have got the message.
    await inspector.main.ask('NodeWorker.enable', { waitForDebuggerOnStart: false });
    return inspector;
  }

  /** The name of the program that the process runs. */
  async program(): Promise<string> {
    const answer = await this.main.ask('Runtime.evaluate', { expression: 'process.argv[1]' });
    const { result } = answer as { readonly result: { readonly value: string } };
    return basename(dirname(result.value));
  }

  async begin(): Promise<void> {
    for (const [name, session] of this.#threads) this.#profiled.set(name, session);
    await this.#each(async (session) => {
      await session.ask('Profiler.enable');
      await session.ask('Profiler.setSamplingInterval', { interval: EVERY });
      await session.ask('Profiler.start');
    });
  }

  /** @returns a profile for each thread, by its name */
  async end(): Promise<ReadonlyMap<string, CpuProfile>> {
    const profiles = new Map<string, CpuProfile>();
    await this.#each(async (session, name) => {
      const { profile } = (await session.ask('Profiler.stop')) as { profile: CpuProfile };
      profiles.set(name, profile);
    });
    return profiles;
  }

  close(): void {
    this.socket.close();
  }

  async #each(act: (session: Session, name: string) => Promise<void>): Promise<void> {
    await Promise.all([...this.#profiled].map(([name, session]) => act(session, name)));
  }

  #receive(message: Message): void {
    if (message.method === 'NodeWorker.attachedToWorker') {
      const { sessionId, workerInfo } = message.params as { sessionId: string; workerInfo: { url: string } };
      const session = new Session((text) => {
        void this.main.ask('NodeWorker.sendMessageToWorker', { sessionId, message: text });
      });
      const [, name = sessionId] = /([\w-]+)\.thread\.js/.exec(workerInfo.url) ?? [];
      this.#workers.set(sessionId, session);
      this.#threads.set(name, session);
    } else if (message.method === 'NodeWorker.receivedMessageFromWorker') {
      const { sessionId, message: text } = message.params as { sessionId: string; message: string };
      this.#workers.get(sessionId)?.receive(JSON.parse(text) as Message);
    } else {
      this.main.receive(message);
    }
  }
}
