import type { ReadResp } from '@eventstore/db-client/generated/streams_pb.js';
import type { ServerEvent } from '#adapters/eventstoredb';
import { reset, tooSlow } from '../../../support/eventstoredb/errors.js';
import { serving } from '../network.js';
import { type EventStoreNode, isNamed } from './event-store-node.js';
import type { Line } from './line.js';
import { caughtUp, confirmation, messageOf } from './messages.js';

/** How many events the server buffers for a live subscription. */
const BUFFER = 32;
/** What does not get through comes this much later, in milliseconds, if the caller has not given up by then. */
const AGAIN = 500;

/** What a subscription asks for. */
interface Wanted {
  readonly after: bigint;
  readonly names: readonly string[];
  readonly requiresLeader: boolean;
}

/** The call that a subscription answers. */
interface Answered {
  bring(message: ReadResp): void;
  fail(error: Error): void;
}

/** A subscription at a node: what existed, then what is new. It goes on when the node no longer leads. */
export class ServerSubscription {
  /** Everything up to this position has come, or is not asked for. */
  #after = 0n;
  /** What the server had when it began to catch up has come. */
  #isLive = false;
  #begun = false;
  #left = false;
  #paused = false;
  #planned = false;
  #leaving: readonly (() => void)[] = [];

  constructor(
    private readonly node: EventStoreNode,
    private readonly line: Line,
    private readonly wanted: Wanted,
    private readonly call: Answered,
  ) {}

  begin(): void {
    this.#leaving = [
      this.line.onBreak(() => this.call.fail(reset())),
      this.node.follow(() => this.#plan()),
      this.line.life.onCrash(() => this.leave()),
    ];
    this.line
      .ask(
        serving(() => {
          if (this.wanted.requiresLeader && this.node.refusal !== undefined) throw this.node.refusal;
          return this.node.after(this.wanted.after);
        }),
      )
      .then(
        (next) => {
          this.#after = this.node.all[next - 1]?.position ?? 0n;
          this.#begun = true;
          if (!this.#left) this.call.bring(confirmation());
          this.#pump();
        },
        (error: unknown) => this.call.fail(error as Error),
      );
  }

  leave(): void {
    this.#left = true;
    for (const leave of this.#leaving) leave();
  }

  pause(): void {
    this.#paused = true;
  }

  resume(): void {
    this.#paused = false;
    this.#plan();
  }

  #rests(): boolean {
    return this.#paused || this.#left;
  }

  /** Brings what is new soon: at a node that lags, when it has it. */
  #plan(later = this.node.leads ? 0 : this.node.lag): void {
    if (this.#planned || !this.#begun || this.#left) return;
    this.#planned = true;
    const pump = (): void => {
      this.#planned = false;
      this.#pump();
    };
    if (later === 0) this.line.soon(pump);
    else this.node.world.scheduler.after(later, pump, this.line.life);
  }

  #pump(): void {
    if (this.#rests()) return;
    if (this.line.isCut || this.node.state !== 'up') {
      this.#plan(AGAIN);
      return;
    }
    const { faults } = this.node.world;
    const { shown, all } = this.node;
    // A scavenge may have removed events before it.
    let next = this.node.indexAfter(this.#after);
    if (this.#isLive && shown - next > BUFFER && faults.strikes('eventstoredb: a burst drops a subscription')) {
      this.call.fail(tooSlow());
      return;
    }
    if (this.#isLive && faults.strikes('eventstoredb: a subscription is dropped')) {
      this.call.fail(reset());
      return;
    }
    while (next < shown && !this.#rests()) {
      const event = all[next] as ServerEvent;
      next += 1;
      this.#after = event.position;
      if (isNamed(event, this.wanted.names)) this.call.bring(messageOf(event));
    }
    if (this.#rests()) return;
    if (next < all.length) this.#plan();
    if (this.#isLive) return;
    this.#isLive = true;
    this.call.bring(caughtUp());
  }
}
