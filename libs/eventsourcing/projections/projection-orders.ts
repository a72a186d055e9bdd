import type { Position } from '#kernel';
import type { OrderOutcome, ProjectionOrder } from '../ports/projections.js';
import type { Time } from '../ports/time.js';
import type { ViewStore } from '../ports/view-store.js';
import type { Generation } from './generation.js';
import type { Mutex } from './mutex.js';
import type { ViewGenerations } from './view-generations.js';

/** What orders need from the projector. */
export interface OrderedProjector {
  readonly views: ReadonlyMap<string, ViewGenerations>;
  readonly store: ViewStore;
  /** Held by everyone who changes which generations are fed, so that none begins or ends within a batch. */
  readonly mutex: Mutex;
  /** How far the generations have come that are fed together. */
  readonly seen: () => Position;
  /** Begins a generation and its way through the log. */
  readonly begin: (of: ViewGenerations) => Promise<Generation>;
  /** Continues a generation that is not finished. */
  readonly build: (generation: Generation) => void;
  /**
   * Makes the fed generations follow the log again from the earliest of them, because there are others now or they stand
   * elsewhere.
   */
  readonly rejoin: () => void;
  /** Reports the present state; the views in `changed` have another live generation. */
  readonly tell: (changed: readonly string[]) => void;
  /** Ends the projector: what it knows may no longer be so. */
  readonly fail: (error: unknown) => void;
  /** Writes to the service's log. */
  readonly notice: (text: string) => void;
  readonly time: Time;
}

/** How long a promotion waits for a fed generation to reach the live one, in milliseconds. */
const CATCH_UP_WITHIN = 5_000;
const LOOK_EVERY = 20;

const UNKNOWN: OrderOutcome = { kind: 'unknown' };
const done = ({ number }: Generation): OrderOutcome => ({ kind: 'done', generation: number });
const refused = (reason: string): OrderOutcome => ({ kind: 'refused', reason });

/** Carries out operators' orders to projections (ruling G6). */
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
        return this.#inTurn(() => this.#goOn(of, stoppedIn(of), async (generation) => generation.feed.resume()));
      case 'skip':
        return this.#inTurn(() => this.#skipAt(of, order.position));
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
    if (this.#beginning.has(of)) return refused(`a generation of ${of.view.name} has already begun`);
    this.#beginning.add(of);
    try {
      // Without the mutex: a store may take its time, and this touches nothing that is fed.
      const generation = await this.projector.begin(of);
      this.projector.tell([]);
      return done(generation);
    } finally {
      this.#beginning.delete(of);
    }
  }

  /** Promotes a generation. If it is fed already and lacks only what is being written now, this waits for it. */
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
    await this.#atStore((store) => store.promote(of.view, number));
    of.nowLive(generation);
    this.projector.tell([of.view.name]);
    return done(generation);
  }

  async #cancel(of: ViewGenerations, number: number): Promise<OrderOutcome> {
    const whyNot = (generation: Generation): string | undefined => {
      const name = `generation ${number} of ${of.view.name}`;
      if (generation.live) return `${name} is the live one`;
      if (generation.awaited) return `no generation of ${of.view.name} is live: it needs generation ${number}`;
      // It may become ready while the order is under way.
      return number < (of.live?.number ?? 0) ? `${name} is not a rebuild but an older generation: drop it` : undefined;
    };
    const generation = of.find(number);
    if (generation === undefined) return UNKNOWN;
    const reason = whyNot(generation);
    if (reason !== undefined) return refused(reason);
    // Without the mutex, because the build may wait for it itself.
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
      if (generation.awaited) return `no generation of ${of.view.name} is live: it needs generation ${number}`;
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
    // Nobody feeds it from here on, so the fed generations need not wait for the store.
    await generation.feed.close();
    await this.#atStore((store) => store.drop(of.view, generation.number));
    this.projector.tell([]);
    return done(generation);
  }

  /**
   * Changes which generations there are. After a failure nobody here knows whether the store has carried it out: an answer may
   * be lost, and a request late. So the projector ends, and the next one asks the store.
   */
  async #atStore(change: (store: ViewStore) => Promise<void>): Promise<void> {
    try {
      await change(this.projector.store);
    } catch (error) {
      this.projector.fail(error);
      throw error;
    }
  }

  /** Only the event that the operator has seen is skipped: the view may have stopped at another one meanwhile. */
  async #skipAt(of: ViewGenerations, position: string): Promise<OrderOutcome> {
    const stopped = stoppedIn(of);
    const there = stopped.filter(({ feed }) => feed.stoppedAt?.position === position);
    const elsewhere = stopped[0]?.feed.stoppedAt;
    if (there.length === 0 && elsewhere !== undefined)
      return refused(
        `${of.view.name} has not stopped at the position ${position}, but at ${elsewhere.position} (${elsewhere.event})`,
      );
    return this.#goOn(of, there, (generation) => this.#skip(of, generation));
  }

  /** Continues stopped generations of the view: usually all stopped at the same event. */
  async #goOn(
    of: ViewGenerations,
    stopped: readonly Generation[],
    prepare: (generation: Generation) => Promise<void>,
  ): Promise<OrderOutcome> {
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
      `generation ${generation.number} of ${name} skips ${event ?? 'an event'}, as an operator asked: ${why}`,
    );
  }

  #state(generation: Generation): ReturnType<Generation['state']> {
    return generation.state(this.projector.seen());
  }
}

function stoppedIn({ list }: ViewGenerations): readonly Generation[] {
  return list.filter((each) => each.stopped);
}
