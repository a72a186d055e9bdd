import {
  type AppendAnswer,
  NoEventThere,
  type OutgoingEvent,
  type Server,
  type ServerEvent,
  StreamDeleted,
  type Subscriber,
  type Subscription,
} from '#adapters/eventstoredb';
import type { Time, Timer } from '#eventsourcing';
import type { Life } from '../../world/life.js';
import { Connection } from '../network.js';
import { type EventStore, NotLeader } from './event-store.js';
import { ServerSubscription } from './server-subscription.js';

/** How long it looks for the leader, in milliseconds, and the pause between two looks: as the real client does. */
const LOOK_FOR = 2_000;
const ASK_EVERY = 100;
const PROBE_WITHIN = 1_500;
/** The longest read, with the search for the leader. */
const READ_WITHIN = 5_000;
/** A line without any answer for this long is given up, and an append without its own answer after the longer time. */
const SILENT_FOR = 5_000;
const APPEND_WITHIN = 14_000;
/** Codes of gRPC. */
const DEADLINE_EXCEEDED = 4;
const UNAVAILABLE = 14;

const withCode = (message: string, code: number): Error => Object.assign(new Error(message), { code });
const ERRORS = {
  refused: () => withCode('connect ECONNREFUSED', UNAVAILABLE),
  broken: () => withCode('read ECONNRESET', UNAVAILABLE),
};

/** The way to the leader for one kind of calls. */
class Leading {
  readonly connection: Connection;
  readonly #time: Time;
  #finding: Promise<void> | undefined;
  #term: number | undefined;

  constructor(
    private readonly server: EventStore,
    life: Life,
  ) {
    this.connection = new Connection(life, server, ERRORS);
    this.#time = life.machine.time;
  }

  /** Finds the leader, unless it is known. @throws Error if there is none for two seconds */
  async find(): Promise<void> {
    if (this.#term === this.server.term) return;
    this.#finding ??= this.#find().finally(() => (this.#finding = undefined));
    return this.#finding;
  }

  /** It did not answer as a leader. */
  lost(): void {
    this.#term = undefined;
  }

  async #find(): Promise<void> {
    const until = this.#time.monotonic() + LOOK_FOR;
    for (;;) {
      try {
        const ask = this.connection.ask<number>((reply) =>
          this.server.leads ? reply.value(this.server.term) : reply.error(new NotLeader('the node does not lead')),
        );
        this.#term = await within(ask, PROBE_WITHIN, this.#time);
        return;
      } catch (error) {
        if (this.#time.monotonic() > until)
          throw new Error('no leader among the hosts of EVENTSTORE_URL', { cause: error });
      }
      await this.#time.pause(ASK_EVERY);
    }
  }
}

/** One process's client of the simulated EventStoreDB, with the deadlines of the real one. */
export class EventStoreClient implements Server {
  readonly #appending: Leading;
  readonly #reading: Leading;
  readonly #time: Time;
  #lastAnswerAt = 0;
  /** When the first append of an event was tried since appends fail, in milliseconds of the world. */
  #triedSince = 0;
  #closed = false;

  constructor(
    private readonly server: EventStore,
    private readonly life: Life,
  ) {
    this.#time = life.machine.time;
    this.#appending = new Leading(server, life);
    this.#reading = new Leading(server, life);
  }

  /** Since when appends of events have been tried in vain: their line is cut, or the server cannot write. */
  get appendsFailSince(): number | undefined {
    const { isCut } = this.#appending.connection;
    const fails = isCut || !this.server.hasQuorum;
    return fails && this.#triedSince > this.#failsFrom ? this.#triedSince : undefined;
  }

  get #failsFrom(): number {
    const { isCut, cutSince } = this.#appending.connection;
    return isCut ? cutSince : this.server.quorumLostAt;
  }

  async append(stream: string, expected: number, events: readonly OutgoingEvent[]): Promise<AppendAnswer> {
    this.#assertOpen();
    this.server.lines.set(this.life.name, this);
    if (this.#triedSince <= this.#failsFrom && this.server.ours.isNameOfOurs(stream))
      this.#triedSince = this.life.world.scheduler.now;
    await this.#appending.find();
    const sentAt = this.life.world.scheduler.now;
    const answer = this.#appending.connection.ask<AppendAnswer>((reply) =>
      this.server.append({ stream, expected, events, sentAt }, reply),
    );
    try {
      const answered = await this.#unlessSilent(answer);
      this.#lastAnswerAt = this.#time.monotonic();
      return answered;
    } catch (error) {
      this.#appending.lost();
      throw error;
    }
  }

  readStream(stream: string, from: number, max: number): Promise<readonly ServerEvent[] | undefined> {
    return this.#read((server) => {
      const events = server.stored.read(stream, server.now());
      return events?.filter(({ revision }) => revision >= from).slice(0, max);
    });
  }

  readAll(from: bigint, max: number, names: readonly string[] = []): Promise<readonly ServerEvent[]> {
    return this.#read(({ stored }) => {
      const found: ServerEvent[] = [];
      for (let at = stored.from(from); at < stored.all.length && found.length < max; at += 1) {
        const event = stored.all[at] as ServerEvent;
        if (isNamed(event, names)) found.push(event);
      }
      return found;
    });
  }

  readBack(
    before: bigint | undefined,
    max: number,
    names: readonly string[],
    longest = READ_WITHIN,
  ): Promise<readonly ServerEvent[]> {
    return this.#read(({ stored }) => {
      const found: ServerEvent[] = [];
      const end = before === undefined ? stored.all.length : stored.indexOf(before);
      for (let at = end - 1; at >= 0 && found.length < max; at -= 1) {
        const event = stored.all[at] as ServerEvent;
        if (isNamed(event, names)) found.push(event);
      }
      return found;
    }, longest);
  }

  subscribe(after: bigint, names: readonly string[], subscriber: Subscriber): Subscription {
    const { connection } = this.#reading;
    const passes = (event: ServerEvent): boolean => isNamed(event, names);
    const subscription = new ServerSubscription(this.server, connection, { after, passes }, subscriber, this.#time);
    this.#reading.find().then(
      () => subscription.begin(),
      () => subscription.drop('broke'),
    );
    return subscription;
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#reading.connection.break();
    this.#appending.connection.break();
    await Promise.resolve();
  }

  async #read<T>(read: (server: EventStore) => T, longest = READ_WITHIN): Promise<T> {
    this.#assertOpen();
    const until = this.#time.monotonic() + longest;
    for (let tries = 1; ; tries += 1) {
      await this.#leaderBy(until);
      try {
        const ask = this.#reading.connection.ask<T>((reply) => serve(this.server, read, reply));
        return await within(ask, Math.max(1, until - this.#time.monotonic()), this.#time);
      } catch (error) {
        if (error instanceof NoEventThere || error instanceof StreamDeleted) throw error;
        this.#reading.lost();
        if (tries > 1 || this.#time.monotonic() >= until) throw error;
      }
    }
  }

  /** Waits for an election, if there is one. */
  async #leaderBy(until: number): Promise<void> {
    for (;;) {
      try {
        await within(this.#reading.find(), Math.max(1, until - this.#time.monotonic()), this.#time);
        return;
      } catch (error) {
        if (this.#time.monotonic() >= until) throw error;
      }
    }
  }

  /** The answer of an append. A line that is silent is given up with everything on it. */
  #unlessSilent(answer: Promise<AppendAnswer>): Promise<AppendAnswer> {
    const sent = this.#time.monotonic();
    return new Promise((resolve, reject) => {
      let timer: Timer;
      const look = (): void => {
        const now = this.#time.monotonic();
        if (now - Math.max(sent, this.#lastAnswerAt) >= SILENT_FOR) {
          reject(new Error('no answer to any append'));
          this.#appending.connection.break();
        } else if (now - sent >= APPEND_WITHIN) reject(new Error('no answer within its deadline'));
        else timer = this.#time.after(Math.min(SILENT_FOR, sent + APPEND_WITHIN - now), look);
      };
      timer = this.#time.after(SILENT_FOR, look);
      answer.then(resolve, reject).finally(() => this.#time.cancel(timer));
    });
  }

  #assertOpen(): void {
    if (this.#closed) throw new Error('the connection to the event log is closed');
  }
}

function serve<T>(
  server: EventStore,
  read: (server: EventStore) => T,
  reply: { value(value: T): void; error(error: Error): void },
): void {
  if (!server.leads) {
    reply.error(new NotLeader('the node does not lead'));
    return;
  }
  try {
    reply.value(read(server));
  } catch (error) {
    reply.error(error as Error);
  }
}

function isNamed({ stream }: ServerEvent, names: readonly string[]): boolean {
  return names.length === 0 || names.some((name) => stream.startsWith(name));
}

/** @throws Error after so many milliseconds */
function within<T>(work: Promise<T>, milliseconds: number, time: Time): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = time.after(milliseconds, () => reject(withCode('Deadline exceeded', DEADLINE_EXCEEDED)));
    work.then(resolve, reject).finally(() => time.cancel(timer));
  });
}
