import type { Fault } from '../core/faults.js';
import type { Seeded } from '../core/seeded.js';
import type { Life } from '../world/life.js';
import type { World } from '../world/world.js';

/** A server of the simulated installation, as its callers see it. */
export type ServerState = 'up' | 'down' | 'silent';

/** How often it looks whether something should happen to a server or a network, in milliseconds of the world. */
const LOOK_EVERY = 500;

/** A program on a machine of its own. It may end and start again, or stand still; its data survive both. */
export class RemoteServer {
  #state: ServerState = 'up';
  /** Counts the times that its connections broke: what was on its way then never arrives. */
  broke = 0;
  readonly #connections = new Set<Connection>();
  #waiting: (() => void)[] = [];
  readonly #backs = new Set<() => void>();

  constructor(
    readonly world: World,
    readonly name: string,
  ) {}

  get state(): ServerState {
    return this.#state;
  }

  /** Whether it answers everybody who asks. */
  get isWell(): boolean {
    return this.#state === 'up' && !this.connections.some(({ isCut }) => isCut);
  }

  /** The connections of all processes that live. */
  get connections(): readonly Connection[] {
    for (const each of this.#connections) if (each.life.dead) this.#connections.delete(each);
    return [...this.#connections];
  }

  connected(connection: Connection): void {
    this.#connections.add(connection);
  }

  disconnected(connection: Connection): void {
    this.#connections.delete(connection);
  }

  /** Ends it: all its connections break. It starts again after this many milliseconds. */
  restart(milliseconds: number): void {
    if (this.#state !== 'up') return;
    this.#become('down', milliseconds);
    this.breakConnections();
  }

  /** Lets it stand still: nobody is told, and it answers afterwards. */
  freeze(milliseconds: number): void {
    if (this.#state === 'up') this.#become('silent', milliseconds);
  }

  breakConnections(): void {
    this.broke += 1;
    for (const each of this.connections) each.break();
  }

  /** Something has arrived: it is handled now, when the server goes on, or never. */
  arrive(handle: () => void): void {
    if (this.#state === 'up') handle();
    else if (this.#state === 'silent') this.#waiting.push(handle);
  }

  /** Calls each time that it is there again. @returns how to leave */
  whenBack(call: () => void): () => void {
    this.#backs.add(call);
    return () => this.#backs.delete(call);
  }

  /** Calls again and again, as long as the world lasts. */
  watch(look: () => void): void {
    const again = (): void => {
      look();
      this.world.scheduler.after(LOOK_EVERY, again);
    };
    this.world.scheduler.after(LOOK_EVERY, again);
  }

  #become(state: ServerState, milliseconds: number): void {
    this.#state = state;
    this.world.trace.tell(this.name, state === 'down' ? 'ends' : 'stands still');
    const frozen = this.#waiting;
    this.world.scheduler.after(milliseconds, () => {
      this.#state = 'up';
      this.world.trace.tell(this.name, state === 'down' ? 'is there again' : 'goes on');
      this.#waiting = [];
      if (state === 'silent') for (const handle of frozen) handle();
      else for (const call of this.#backs) call();
    });
  }
}

/** The errors of a client library. */
export interface ConnectionErrors {
  /** Nothing listens there. */
  refused(): Error;
  /** The connection ended while somebody waited for an answer. */
  broken(): Error;
}

interface Waiting {
  readonly reject: (error: Error) => void;
}

/** How an answer leaves the server. */
export interface Reply<T> {
  value(value: T): void;
  error(error: Error): void;
}

/**
 * One process's connection to a server. Requests and answers are delayed, lost, late and repeated; the connection breaks, or
 * goes silent for a while. It has no deadlines: they are the client's.
 */
export class Connection {
  protected readonly random: Seeded;
  readonly #waiting = new Set<Waiting>();
  readonly #breaks = new Set<() => void>();
  #cutUntil = 0;
  /** When the present or last cut began, in milliseconds of the world. */
  cutSince = 0;

  constructor(
    readonly life: Life,
    readonly server: RemoteServer,
    private readonly errors: ConnectionErrors,
  ) {
    const { world } = server;
    this.random = world.random.of(`${life.name} to ${server.name} ${world.scheduler.steps}`);
    server.connected(this);
  }

  /** Whether nothing gets through at the moment. */
  get isCut(): boolean {
    return this.#cutUntil > this.server.world.scheduler.now;
  }

  /** Lets nothing through for this many milliseconds; nobody is told. */
  cut(milliseconds: number): void {
    const { world, name } = this.server;
    if (!this.isCut) this.cutSince = world.scheduler.now;
    this.#cutUntil = world.scheduler.now + milliseconds;
    world.trace.tell('network', `${this.life.name} and ${name} do not reach each other`);
  }

  /** Calls when the connection breaks, once. @returns how to leave */
  onBreak(call: () => void): () => void {
    this.#breaks.add(call);
    return () => this.#breaks.delete(call);
  }

  /** It ends: whoever waits for an answer is told. */
  break(): void {
    const { scheduler } = this.server.world;
    const waiting = [...this.#waiting];
    const breaks = [...this.#breaks];
    this.#waiting.clear();
    this.#breaks.clear();
    if (waiting.length === 0 && breaks.length === 0) return;
    scheduler.after(
      this.random.between(0.1, 3),
      () => {
        for (const { reject } of waiting) reject(this.errors.broken());
        for (const call of breaks) call();
      },
      this.life,
    );
  }

  /**
   * Sends a request that changes nothing and is answered at once. As long as nothing fails, it is one happening of the world.
   * @returns as `ask` does
   */
  look<T>(read: () => T): Promise<T> {
    const serve = serving(read);
    if (this.server.state !== 'up' || this.isCut || this.server.world.faults.strikes('network: a look goes wrong'))
      return this.ask(serve);
    return new Promise<T>((resolve, reject) => {
      const waiting: Waiting = { reject };
      this.#waiting.add(waiting);
      const takes = this.random.between(0.2, 1.6);
      this.server.world.scheduler.after(
        takes,
        () => {
          if (!this.#waiting.delete(waiting)) return;
          if (this.isCut || this.server.state !== 'up') void this.ask(serve).then(resolve, reject);
          else serve({ value: resolve, error: reject });
        },
        this.life,
      );
    });
  }

  /**
   * Sends a request.
   * @param serve runs at the server, perhaps twice, and answers at once or later
   * @returns the answer; never, if it is lost. The caller must have a deadline.
   */
  ask<T>(serve: (reply: Reply<T>) => void): Promise<T> {
    const { scheduler, faults } = this.server.world;
    return new Promise<T>((resolve, reject) => {
      if (this.server.state === 'down') {
        this.soon(() => reject(this.errors.refused()));
        return;
      }
      const waiting: Waiting = { reject };
      this.#waiting.add(waiting);
      const settle = (end: () => void): void => {
        this.#waiting.delete(waiting);
        end();
      };
      if (faults.strikes('network: a connection breaks')) {
        if (this.random.chance(0.5)) this.#deliver(serve, NOBODY);
        this.break();
        return;
      }
      this.#deliver(serve, {
        value: (value) => this.#answer(() => settle(() => resolve(value))),
        error: (error) => this.#answer(() => settle(() => reject(error))),
      });
      const { broke } = this.server;
      if (faults.strikes('network: a request arrives twice'))
        scheduler.after(this.random.between(0.5, 5_000), () => this.#arrive(serve, NOBODY, broke));
    });
  }

  /** Tells the client something, after the shortest time that a message takes; in order. */
  tell(work: () => void): void {
    this.#answer(work);
  }

  /** Runs in the client's process, very soon. */
  soon(work: () => void): void {
    this.server.world.scheduler.after(this.random.between(0.05, 1), work, this.life);
  }

  #deliver<T>(serve: (reply: Reply<T>) => void, reply: Reply<T>): void {
    const { scheduler, faults } = this.server.world;
    if (this.isCut || faults.strikes('network: a request is lost')) return;
    const late = faults.strikes('network: a request is late');
    const takes = late ? this.random.between(500, 20_000) : this.random.between(0.1, 0.8);
    const { broke } = this.server;
    scheduler.after(takes, () => this.#arrive(serve, reply, broke));
  }

  #arrive<T>(serve: (reply: Reply<T>) => void, reply: Reply<T>, broke: number): void {
    this.server.arrive(() => {
      if (this.server.broke === broke) serve(reply);
    });
  }

  #answer(work: () => void): void {
    const { scheduler, faults } = this.server.world;
    if (this.isCut || this.server.state === 'down' || faults.strikes('network: an answer is lost')) return;
    const late = faults.strikes('network: an answer is late');
    const takes = late ? this.random.between(500, 20_000) : this.random.between(0.1, 0.8);
    scheduler.after(takes, work, this.life);
  }
}

const NOBODY = { value: () => undefined, error: () => undefined };

/** Serves a request that is answered at once. */
export function serving<T>(read: () => T): (reply: Reply<T>) => void {
  return (reply) => {
    let value: T;
    try {
      value = read();
    } catch (error) {
      reply.error(error as Error);
      return;
    }
    reply.value(value);
  };
}

/** Lets networks between processes and servers fail for a while. */
export function troubleNetwork(world: World, servers: readonly RemoteServer[]): void {
  const random = world.random.of('network');
  const look = (): void => {
    for (const server of servers) {
      for (const connection of server.connections) {
        if (connection.isCut || !world.faults.strikes('network: a process cannot reach a server for a while')) continue;
        connection.cut(random.one([800, 3_000, 7_000, 20_000, 90_000]) * random.between(0.5, 1.5));
      }
    }
    world.scheduler.after(LOOK_EVERY, look);
  };
  world.scheduler.after(LOOK_EVERY, look);
}

/** Ends a server now and then, or lets it stand still. */
export function troubleServer(
  server: RemoteServer,
  faults: { readonly restart: Fault; readonly silence: Fault },
): void {
  const { world } = server;
  const random = world.random.of(`troubles of ${server.name}`);
  server.watch(() => {
    if (world.faults.strikes(faults.restart))
      server.restart(random.one([500, 4_000, 20_000, 60_000]) * random.between(0.5, 1.5));
    else if (world.faults.strikes(faults.silence))
      server.freeze(random.one([700, 4_000, 12_000, 40_000]) * random.between(0.5, 1.5));
  });
}
