import type { OutgoingEvent, ServerEvent } from '#adapters/eventstoredb';
import type { Instant } from '#kernel';
import { EachKind } from '../../core/each-kind.js';
import { BEGINNING, type Skew } from '../../core/machine.js';
import type { Seeded } from '../../core/seeded.js';
import type { World } from '../../world/world.js';
import type { Retention } from '../../../support/eventstoredb/retention.js';
import type { answerTo } from '../../../support/eventstoredb/messages.js';
import type { Outcome } from '../../../support/eventstoredb/store.js';
import { type Connection, RemoteServer, type Reply } from '../network.js';
import { EventStoreNode } from './event-store-node.js';
import { Leadership } from './leadership.js';
import type { SentAppend } from './messages.js';
import { NotedLog } from './noted-log.js';
import { OurEvents, StoredEvents } from './stored-events.js';

/** What the server answers to an append. */
export type AppendOutcome = Parameters<typeof answerTo>[1];

interface Sent extends SentAppend {
  /** In milliseconds of the world. */
  readonly sentAt: number;
}

/** The server acts on an append for this long after it was sent, in milliseconds. */
const DEADLINE = 10_000;
/** Clients know the first two: only a node that does not lead names the third. */
const HOSTS = ['one.example', 'two.example', 'three.example'] as const;
const PORT = 2_113;

/**
 * A cluster of EventStoreDB: one of three nodes leads. An append that was acknowledged is at every later leader; one that was
 * under way at an election may be there or not, and nobody answers it.
 */
export class EventStore extends RemoteServer {
  readonly stored: StoredEvents;
  readonly ours: OurEvents;
  /** The client that appends for each process, by its name. */
  readonly lines = new Map<string, { readonly appendsFailSince: number | undefined }>();
  /** The streams that an administrator has cut, without the prefix. */
  readonly cut = new Set<string>();
  /** What its processes must have noted of it. */
  readonly noted: NotedLog;
  /** Whether a service of another installation runs: an empty copy would be a new log for it, which it may take. */
  hasStranger = false;
  /** When an append was written last, in milliseconds of the world. */
  writtenAt = 0;
  /** Counts what was put in the place of the log. */
  #copies = 0;
  #isOlder = false;
  readonly nodes: readonly EventStoreNode[];
  readonly leadership: Leadership;
  readonly #random: Seeded;
  readonly #overtaken: EachKind;
  readonly #skew: Skew;
  readonly #subscribers = new Set<() => void>();

  constructor(world: World, prefix: string) {
    super(world, 'eventstoredb');
    this.#random = world.random.of('eventstoredb');
    this.#overtaken = new EachKind(this.#random.of('overtaken'));
    this.#skew = { offset: this.#random.between(-5_000, 5_000), drift: 0 };
    this.noted = new NotedLog(world);
    this.ours = new OurEvents(prefix);
    this.ours.onWritten(({ stream, revision, type, position }) => {
      world.trace.tell('log', `${position} ${stream}@${revision} ${type}`);
      if (this.#isOlder) world.fail(new Error(`${stream} was written to an older copy of the log`));
    });
    this.stored = new StoredEvents(
      this.#random.of('positions'),
      (event) => this.ours.take(event),
      () => world.scheduler.now,
    );
    this.nodes = HOSTS.map((host) => new EventStoreNode(this, { address: host, port: PORT }));
    this.leadership = new Leadership(world, this.name, this.nodes, this.#random.of('leadership'));
  }

  /** The connection string of its clients. */
  static readonly url = `esdb://${HOSTS[0]}:${PORT},${HOSTS[1]}:${PORT}?tls=false`;

  /** Whether an older copy is in the place of the log: nothing of ours may be decided on it. */
  get isOlder(): boolean {
    return this.#isOlder;
  }

  get leader(): EventStoreNode | undefined {
    return this.leadership.leader;
  }

  override get connections(): readonly Connection[] {
    return this.nodes.flatMap(({ connections }) => connections);
  }

  override get isWell(): boolean {
    return super.isWell && this.leader?.state === 'up' && this.leadership.hasQuorum && !this.#isOlder;
  }

  /** Lets all nodes stand still, or the leader alone. */
  override freeze(milliseconds: number): void {
    if (this.#random.chance(0.5)) super.freeze(milliseconds);
    else this.leadership.freeze(milliseconds);
  }

  override breakConnections(): void {
    for (const node of this.nodes) node.breakConnections();
  }

  /** Takes an append at a node. It is answered there when it is on disk at most of the nodes. */
  append({ stream, expected, events, until, sentAt }: Sent, at: EventStoreNode, reply: Reply<AppendOutcome>): void {
    const { scheduler } = this.world;
    // The node judges an instant by its own clock.
    if (until !== undefined && until <= at.now()) {
      reply.value('Timeout');
      return;
    }
    const { leader } = this;
    if (leader === undefined) {
      reply.value('NotReady');
      return;
    }
    // The server does not act on an append after its deadline.
    if (scheduler.now > sentAt + DEADLINE) return;
    const { term } = this.leadership;
    const copies = this.#copies;
    // Without a quorum it waits for one, longer than anybody waits for an answer.
    scheduler.after(this.leadership.waits + this.#takes(events), () => {
      if (scheduler.now > sentAt + DEADLINE) return;
      if (copies !== this.#copies) return;
      // A new leader has what most of the nodes had.
      if (term !== this.leadership.term) {
        if (this.#random.chance(0.5)) this.#append(stream, expected, events, leader);
        return;
      }
      const outcome = this.#append(stream, expected, events, leader);
      if (at.state === 'up') reply.value(outcome);
      else if (at.state === 'silent') at.arrive(() => reply.value(outcome));
    });
  }

  /** How long it works on an append, in milliseconds: now and then so long that others, sent together with it, are written first. */
  #takes([first]: readonly OutgoingEvent[]): number {
    const isOvertaken =
      this.#overtaken.chooses(first?.type ?? '') &&
      this.world.faults.strikes('eventstoredb: others overtake an append');
    return isOvertaken
      ? this.#random.one([30, 300, 3_000]) * this.#random.between(0.5, 1.5)
      : this.#random.between(0.3, 2);
  }

  /** Calls after every write. @returns how to leave */
  follow(written: () => void): () => void {
    this.#subscribers.add(written);
    return () => this.#subscribers.delete(written);
  }

  /** Puts other data in its place, while it is down. */
  restore(events: readonly ServerEvent[], what: 'an older copy' | 'the right data'): void {
    this.#copies += 1;
    this.#isOlder = what === 'an older copy';
    this.stored.replace(events);
    for (const node of this.nodes) node.knowAll();
  }

  /** Ends, and has lost what came after this position when it is back: the disk had not synced it. */
  loseEnd(after: bigint): void {
    this.restart(4_000);
    this.#copies += 1;
    this.world.trace.tell(this.name, `has lost what came after ${after}`);
    this.stored.replace(this.stored.all.filter(({ position }) => position <= after));
    this.ours.loseEnd(after);
  }

  /** Scavenges the data of all nodes. @returns whether anything is gone */
  scavenge(): boolean {
    return this.stored.scavenge(this.now());
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

  #append(stream: string, expected: number, events: readonly OutgoingEvent[], leader: EventStoreNode): Outcome {
    this.writtenAt = this.world.scheduler.now;
    const answer = this.#write(stream, expected, events, leader);
    if (this.stored.torn.has(stream))
      this.world.fail(new Error(`no stream is begun anew: ${leader.name} does not know ${stream}, which has events`));
    return answer;
  }

  #write(
    stream: string,
    expected: number,
    events: readonly OutgoingEvent[],
    leader: EventStoreNode | undefined = this.leader,
  ): Outcome {
    const created = leader?.now() ?? this.now();
    const answer = this.stored.append(stream, expected, events, created, leader?.isUnknown(stream));
    for (const written of this.#subscribers) written();
    return answer;
  }

  /** Whether every node's clock is right, but for a few seconds. */
  get areClocksRight(): boolean {
    return this.nodes.every(({ clockOff }) => clockOff === 0);
  }

  /** By the clock of its nodes, if that is right. */
  now(): Instant {
    return Math.floor(BEGINNING + this.#skew.offset + this.world.scheduler.now * (1 + this.#skew.drift));
  }
}
