import { NoEventThere, type ServerEvent, type Subscriber, type Subscription } from '#adapters/eventstoredb';
import type { Time, Timer } from '#eventsourcing';
import type { Connection } from '../network.js';
import type { EventStore } from './event-store.js';

/** Milliseconds between two looks whether its node still leads, and how long it may be silent. */
const BEAT = 1_000;
const BEAT_WITHIN = 2_500;
/** How many events the server buffers for a live subscription. */
const BUFFER = 32;

/** A subscription at the server, with the client's check that its node still leads. */
export class ServerSubscription implements Subscription {
  #next = 0;
  /** What the server had when it began to catch up. */
  #isLive = false;
  #begun = false;
  #left = false;
  #paused = false;
  #planned = false;
  #beat: Timer | undefined;
  #silentSince: number | undefined;
  #term = 0;
  #leaving: readonly (() => void)[] = [];

  constructor(
    private readonly server: EventStore,
    private readonly connection: Connection,
    private readonly from: { readonly after: bigint; readonly passes: (event: ServerEvent) => boolean },
    private readonly subscriber: Subscriber,
    private readonly time: Time,
  ) {}

  /** The leader is found. */
  begin(): void {
    if (this.#left) return;
    this.#term = this.server.term;
    this.#leaving = [this.connection.onBreak(() => this.drop('broke')), this.server.follow(() => this.#plan())];
    this.#beat = this.time.every(BEAT, () => this.#check());
    this.connection
      .ask<number>((reply) => {
        try {
          reply.value(this.server.stored.after(this.from.after));
        } catch (error) {
          if (error instanceof NoEventThere) reply.error(new Error('Exception was thrown by handler.'));
          else throw error;
        }
      })
      .then(
        (next) => {
          this.#next = next;
          this.#begun = true;
          this.#pump();
        },
        (error: unknown) => this.drop('refused', error),
      );
  }

  leave(): void {
    this.#left = true;
    this.time.cancel(this.#beat);
    for (const leave of this.#leaving) leave();
  }

  pause(): void {
    this.#paused = true;
  }

  resume(): void {
    this.#paused = false;
    this.#plan();
  }

  drop(why: 'broke' | 'too slow' | 'refused', error?: unknown): void {
    if (this.#left) return;
    this.leave();
    this.subscriber.dropped(why, error);
  }

  #rests(): boolean {
    return this.#paused || this.#left;
  }

  #plan(): void {
    if (this.#planned || !this.#begun || this.#left) return;
    this.#planned = true;
    this.connection.soon(() => {
      this.#planned = false;
      this.#pump();
    });
  }

  /** Brings what is new. */
  #pump(): void {
    if (this.#rests() || this.connection.isCut || this.server.state !== 'up') return;
    const { faults } = this.server.world;
    const { all } = this.server.stored;
    if (
      this.#isLive &&
      all.length - this.#next > BUFFER &&
      faults.strikes('eventstoredb: a burst drops a subscription')
    ) {
      this.drop('too slow');
      return;
    }
    if (this.#isLive && faults.strikes('eventstoredb: a subscription is dropped')) {
      this.drop('broke');
      return;
    }
    while (this.#next < all.length && !this.#rests()) {
      const event = all[this.#next] as ServerEvent;
      this.#next += 1;
      if (this.from.passes(event)) this.subscriber.event(event);
    }
    if (this.#isLive || this.#rests()) return;
    this.#isLive = true;
    this.subscriber.caughtUp();
  }

  /** The server would not say itself that it does not lead any more, or that nothing gets through. */
  #check(): void {
    const { server, connection } = this;
    const isSilent = connection.isCut || server.state !== 'up' || !this.#begun;
    const isLed = server.leads && server.term === this.#term;
    if (!isSilent && !isLed) {
      this.drop('broke');
      return;
    }
    if (!isSilent) {
      this.#silentSince = undefined;
      // What came while nothing got through.
      if (this.#next < server.stored.all.length) this.#plan();
      return;
    }
    this.#silentSince ??= this.time.monotonic();
    if (this.time.monotonic() - this.#silentSince >= BEAT_WITHIN) this.drop('broke');
  }
}
