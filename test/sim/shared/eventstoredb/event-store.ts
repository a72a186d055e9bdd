import type { AppendAnswer, OutgoingEvent, ServerEvent } from '#adapters/eventstoredb';
import type { Instant } from '#kernel';
import { BEGINNING, type Skew } from '../../core/machine.js';
import type { Seeded } from '../../core/seeded.js';
import type { World } from '../../world/world.js';
import type { Retention } from '../../../support/eventstoredb/retention.js';
import { RemoteServer, type Reply } from '../network.js';
import { OurEvents, StoredEvents } from './stored-events.js';

/** The server acts on an append for this long after it was sent, in milliseconds. */
const DEADLINE = 10_000;
/** How often it looks whether there is a leader again, in milliseconds. */
const LOOK_EVERY = 1_000;

/** The node does not lead, or no node does. */
export class NotLeader extends Error {
  override name = 'NotLeader';
}

/**
 * A cluster of EventStoreDB as its leader's clients see it. Every call requires the leader. An append that was acknowledged is
 * at every later leader; one that was under way at an election may be there or not, and nobody answers it.
 */
export class EventStore extends RemoteServer {
  readonly stored: StoredEvents;
  readonly ours: OurEvents;
  /** The client that appends for each process, by its name. */
  readonly lines = new Map<string, { readonly appendsFailSince: number | undefined }>();
  /** The streams that an administrator has cut, without the prefix. */
  readonly cut = new Set<string>();
  /** Counts the leaders: a connection belongs to one. */
  term = 1;
  /** Counts what was put in the place of the log. */
  #copies = 0;
  #isOlder = false;
  #leaderless = false;
  #quorumFrom = 0;
  /** When the leader lost its quorum, the last time, in milliseconds of the world. */
  quorumLostAt = 0;
  readonly #random: Seeded;
  readonly #skew: Skew;
  readonly #subscribers = new Set<() => void>();

  constructor(world: World, prefix: string) {
    super(world, 'eventstoredb');
    this.#random = world.random.of('eventstoredb');
    this.#skew = { offset: this.#random.between(-5_000, 5_000), drift: 0 };
    this.ours = new OurEvents(prefix);
    this.ours.onWritten(({ stream, revision, type, position }) => {
      world.trace.tell('log', `${position} ${stream}@${revision} ${type}`);
      if (this.#isOlder) world.fail(new Error(`${stream} was written to an older copy of the log`));
    });
    this.stored = new StoredEvents(this.#random.of('positions'), (event) => this.ours.take(event));
  }

  /** Whether an older copy is in the place of the log: nothing of ours may be decided on it. */
  get isOlder(): boolean {
    return this.#isOlder;
  }

  /** Whether calls find a leader. */
  get leads(): boolean {
    return !this.#leaderless;
  }

  override get isWell(): boolean {
    return super.isWell && this.leads && this.hasQuorum && !this.#isOlder;
  }

  /** Whether the leader can write. If not, it still answers reads. */
  get hasQuorum(): boolean {
    return this.#quorumFrom <= this.world.scheduler.now;
  }

  /** The other nodes do not answer the leader for so many milliseconds, which does not notice yet. */
  loseQuorum(milliseconds: number): void {
    const { scheduler, trace } = this.world;
    if (!this.hasQuorum) return;
    trace.tell(this.name, `its leader has no quorum for ${Math.round(milliseconds)} ms`);
    this.quorumLostAt = scheduler.now;
    this.#quorumFrom = scheduler.now + milliseconds;
  }

  /** Takes an append. It is answered when it is on disk at most of the nodes. */
  append(
    {
      stream,
      expected,
      events,
      sentAt,
    }: {
      readonly stream: string;
      readonly expected: number;
      readonly events: readonly OutgoingEvent[];
      /** In milliseconds of the world. */
      readonly sentAt: number;
    },
    reply: Reply<AppendAnswer>,
  ): void {
    const { scheduler } = this.world;
    if (!this.leads) {
      reply.error(new NotLeader('the node does not lead'));
      return;
    }
    // The server does not act on an append after its deadline.
    if (scheduler.now > sentAt + DEADLINE) return;
    const { term } = this;
    const copies = this.#copies;
    // Without a quorum it waits for one, longer than anybody waits for an answer.
    const waits = Math.max(0, this.#quorumFrom - scheduler.now);
    scheduler.after(waits + this.#random.between(0.3, 2), () => {
      if (scheduler.now > sentAt + DEADLINE) return;
      if (copies !== this.#copies) return;
      // A new leader has what most of the nodes had.
      if (term !== this.term) {
        if (this.#random.chance(0.5)) this.#tryToWrite(stream, expected, events);
        return;
      }
      const answer = this.#tryToWrite(stream, expected, events);
      const say = (): void => (answer instanceof Error ? reply.error(answer) : reply.value(answer));
      if (this.state === 'up') say();
      else if (this.state === 'silent') this.arrive(say);
    });
  }

  /** Calls after every write. @returns how to leave */
  follow(written: () => void): () => void {
    this.#subscribers.add(written);
    return () => this.#subscribers.delete(written);
  }

  /** Ends the leader, or lets it resign; there is a new one after this many milliseconds. */
  elect(milliseconds: number, how: 'ends' | 'resigns'): void {
    if (this.#leaderless) return;
    this.#leaderless = true;
    this.term += 1;
    const { scheduler, trace } = this.world;
    trace.tell(this.name, `its leader ${how}`);
    if (how === 'ends') this.breakConnections();
    const until = scheduler.now + milliseconds;
    const look = (): void => {
      if (scheduler.now < until && !this.world.faults.stopped) {
        scheduler.after(Math.min(LOOK_EVERY, until - scheduler.now), look);
        return;
      }
      this.#leaderless = false;
      trace.tell(this.name, 'has a leader');
    };
    scheduler.after(Math.min(LOOK_EVERY, milliseconds), look);
  }

  /** Puts other data in its place, while it is down. */
  restore(events: readonly ServerEvent[], what: 'an older copy' | 'the right data'): void {
    this.#copies += 1;
    this.#isOlder = what === 'an older copy';
    this.stored.replace(events);
  }

  /** Ends, and has lost what came after this position when it is back: the disk had not synced it. */
  loseEnd(after: bigint): void {
    this.restart(4_000);
    this.#copies += 1;
    this.world.trace.tell(this.name, `has lost what came after ${after}`);
    this.stored.replace(this.stored.all.filter(({ position }) => position <= after));
    this.ours.loseEnd(after);
  }

  /** Writes for another application. */
  write(stream: string, event: OutgoingEvent): void {
    this.#write(stream, this.stored.last(stream), [event]);
  }

  /** Sets a stream's metadata. @param stream its whole name */
  setMetadata(stream: string, metadata: Retention): void {
    this.stored.setMetadata(stream, metadata, this.now());
    for (const written of this.#subscribers) written();
  }

  #tryToWrite(stream: string, expected: number, events: readonly OutgoingEvent[]): AppendAnswer | Error {
    try {
      return this.#write(stream, expected, events);
    } catch (error) {
      return error as Error;
    }
  }

  #write(stream: string, expected: number, events: readonly OutgoingEvent[]): AppendAnswer {
    const answer = this.stored.append(stream, expected, events, this.now());
    for (const written of this.#subscribers) written();
    return answer;
  }

  /** By the server's own clock. */
  now(): Instant {
    return Math.floor(BEGINNING + this.#skew.offset + this.world.scheduler.now * (1 + this.#skew.drift));
  }
}
