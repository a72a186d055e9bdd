import type { Position } from '#kernel';
import type { OrderOutcome, ProjectionOrder } from '../ports/projections.js';
import type { Time } from '../ports/time.js';
import type { ViewStore } from '../ports/view-store.js';
import type { Generation } from './generation.js';
import type { Mutex } from './mutex.js';
import type { ViewGenerations } from './view-generations.js';

/** What orders need of the projector. */
export interface OrderedProjector {
  readonly views: ReadonlyMap<string, ViewGenerations>;
  readonly store: ViewStore;
  /** Whoever changes which generations are fed takes a turn: none begins or ends within a batch. */
  readonly mutex: Mutex;
  /** How far those have come that are fed together. */
  readonly seen: () => Position;
  /** Begins a generation and its way through the log. */
  readonly begin: (of: ViewGenerations) => Promise<Generation>;
  /** Lets a generation that is not finished go on. */
  readonly build: (generation: Generation) => void;
  /** The generations that are fed are others, or stand elsewhere: they follow the log from the earliest of them again. */
  readonly rejoin: () => void;
  /** Tells how things stand; `changed` has another live generation. */
  readonly tell: (changed: readonly string[]) => void;
  /** Words for the service's log. */
  readonly notice: (text: string) => void;
  readonly time: Time;
}

/** How long a promotion waits for a generation that is fed to come to where the live one is, in milliseconds. */
const CATCH_UP_WITHIN = 5_000;
const LOOK_EVERY = 20;

const UNKNOWN: OrderOutcome = { kind: 'unknown' };
const done = ({ number }: Generation): OrderOutcome => ({ kind: 'done', generation: number });
const refused = (reason: string): OrderOutcome => ({ kind: 'refused', reason });

/** Carries out what operators ask of projections (ruling G6). */
export class ProjectionOrders {
  readonly #beginning = new Set<ViewGenerations>();

  constructor(private readonly projector: OrderedProjector) {}

  async carryOut(order: ProjectionOrder): Promise<OrderOutcome> {
    const of = this.projector.views.get(order.view);
    if (of === undefined) return UNKNOWN;
    switch (order.verb) {
      case 'rebuild':
        return this.#rebuild(of);
      case 'promote':
        return this.#promote(of, order.generation);
      case 'cancel':
        return this.#cancel(of, order.generation);
      case 'drop':
        return this.#drop(of, order.generation);
      case 'resume':
        return this.#inTurn(() => this.#goOn(of, async (generation) => generation.feed.resume()));
      case 'skip':
        return this.#inTurn(() => this.#goOn(of, (generation) => this.#skip(of, generation)));
    }
  }

  #inTurn(work: () => Promise<OrderOutcome>): Promise<OrderOutcome> {
    return this.projector.mutex.run(work);
  }

  async #rebuild(of: ViewGenerations): Promise<OrderOutcome> {
    const unfinished = of.list.find((each) => !each.fed || this.#state(each) === 'building');
    if (unfinished !== undefined) {
      return refused(`generation ${unfinished.number} of ${of.view.name} is being built already`);
    }
    if (this.#beginning.has(of)) return refused(`a generation of ${of.view.name} is begun already`);
    this.#beginning.add(of);
    try {
      // Not within a turn: a store may take its time, and nothing that is fed has to do with it.
      const generation = await this.projector.begin(of);
      this.projector.tell([]);
      return done(generation);
    } finally {
      this.#beginning.delete(of);
    }
  }

  /** One that is fed already, and only behind by what is being written just now, is waited for. */
  async #promote(of: ViewGenerations, number: number): Promise<OrderOutcome> {
    const { time } = this.projector;
    const deadline = time.monotonic() + CATCH_UP_WITHIN;
    for (;;) {
      const outcome = await this.#inTurn(() => this.#promoteNow(of, number));
      if (outcome.kind !== 'refused' || of.find(number)?.fed !== true || time.monotonic() > deadline) return outcome;
      if (of.find(number)?.stopped === true) return outcome;
      await time.pause(LOOK_EVERY);
    }
  }

  async #promoteNow(of: ViewGenerations, number: number): Promise<OrderOutcome> {
    const generation = of.find(number);
    if (generation === undefined) return UNKNOWN;
    if (generation.live) return done(generation);
    const name = `generation ${number} of ${of.view.name}`;
    const state = this.#state(generation);
    if (state === 'stopped') return refused(`${name} has stopped: ${generation.feed.stopped?.message ?? ''}`);
    if (state === 'building') return refused(`${name} is still being built`);
    await this.projector.store.promote(of.view, number);
    of.nowLive(generation);
    this.projector.tell([of.view.name]);
    return done(generation);
  }

  async #cancel(of: ViewGenerations, number: number): Promise<OrderOutcome> {
    const whyNot = (generation: Generation): string | undefined => {
      const name = `generation ${number} of ${of.view.name}`;
      if (generation.live) return `${name} is the live one`;
      if (generation.awaited) return `nothing of ${of.view.name} is live: it needs generation ${number}`;
      // It may come to be ready while the order is on its way.
      return number < (of.live?.number ?? 0) ? `${name} is no rebuild, but an older one: drop it` : undefined;
    };
    const generation = of.find(number);
    if (generation === undefined) return UNKNOWN;
    const reason = whyNot(generation);
    if (reason !== undefined) return refused(reason);
    // Not within a turn, for it may be waiting for one itself.
    generation.build?.stop.abort();
    await generation.build?.ended;
    return this.#remove(of, generation, whyNot);
  }

  async #drop(of: ViewGenerations, number: number): Promise<OrderOutcome> {
    const generation = of.find(number);
    if (generation === undefined) return UNKNOWN;
    return this.#remove(of, generation, () => {
      const name = `generation ${number} of ${of.view.name}`;
      if (generation.live) return `${name} is the live one: promote another one first`;
      if (generation.awaited) return `nothing of ${of.view.name} is live: it needs generation ${number}`;
      const isBuilt = generation.finished && this.#state(generation) !== 'building';
      return isBuilt ? undefined : `${name} is being built: cancel it`;
    });
  }

  async #remove(
    of: ViewGenerations,
    generation: Generation,
    whyNot: (generation: Generation) => string | undefined,
  ): Promise<OrderOutcome> {
    const outcome = await this.#inTurn(async () => {
      if (of.find(generation.number) !== generation) return UNKNOWN;
      const reason = whyNot(generation);
      if (reason !== undefined) return refused(reason);
      of.remove(generation);
      return done(generation);
    });
    if (outcome.kind !== 'done') return outcome;
    // From here on nobody feeds it, so that those that are fed need not wait for the store.
    await generation.feed.close();
    await this.projector.store.drop(of.view, generation.number);
    this.projector.tell([]);
    return done(generation);
  }

  /** Lets every generation go on that has stopped: as a rule they all stopped at the same event. */
  async #goOn(of: ViewGenerations, prepare: (generation: Generation) => Promise<void>): Promise<OrderOutcome> {
    const stopped = of.list.filter((each) => each.stopped);
    const [first] = stopped;
    if (first === undefined) return refused(`${of.view.name} has not stopped`);
    for (const generation of stopped) {
      await prepare(generation);
      if (!generation.finished) this.projector.build(generation);
    }
    this.projector.rejoin();
    this.projector.tell([]);
    return done(stopped.find((each) => each.live) ?? first);
  }

  async #skip(of: ViewGenerations, generation: Generation): Promise<void> {
    const why = generation.feed.stopped?.message ?? '';
    const event = await generation.feed.skip();
    const { name } = of.view;
    this.projector.notice(
      `generation ${generation.number} of ${name} goes on behind ${event ?? 'an event'} without it, as an operator asked: ${why}`,
    );
  }

  #state(generation: Generation): ReturnType<Generation['state']> {
    return generation.state(this.projector.seen());
  }
}
