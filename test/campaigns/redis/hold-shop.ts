import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { BullMqTimers } from '#adapters/bullmq';
import { EmbeddedLog, EmbeddedViewReaders, EmbeddedViewStore } from '#adapters/embedded';
import { thisMachine } from '#adapters/machine';
import {
  Codec,
  CommandLoop,
  followersList,
  followersWork,
  lte,
  Projector,
  SteppableClock,
  WorkRunner,
  type DueRow,
  newCommandId,
  openWork,
} from '#eventsourcing';
import { DAY, DomainError, MINUTE, type Position, type View } from '#kernel';
import { inventory, type InventoryCommand, purchasing } from '#purchasing/model';
import { withHoldNumber } from '../../support/hold-number.js';
import { openGuard } from '../../support/open-guard.js';
import { summaryOf } from '../../support/sale.js';

/** How long a hold lasts (ruling D2). */
const HOLD_FOR = 5 * MINUTE;

const codec = new Codec(purchasing.events);

/** A worker process: its own loop and its own connections to Redis, as on a machine of its own. */
interface WorkerProcess {
  readonly loop: CommandLoop;
  readonly timers: BullMqTimers;
  readonly runner: WorkRunner;
}

/** What the workers logged while Redis came and went. */
export interface WorkerLog {
  readonly errors: string[];
  readonly warnings: string[];
}

/**
 * Deals, buyers who reserve, claim and release, and workers that share a Redis: the engine as the service assembles it, in one
 * process.
 */
export class HoldShop {
  readonly logged: WorkerLog = { errors: [], warnings: [] };
  readonly #lists = purchasing.workLists.filter(({ name }) => name === 'hold-expiry');
  readonly #followers = followersList(purchasing.followers, codec.names);
  readonly #clock = new SteppableClock(Date.now);
  readonly #workers: WorkerProcess[] = [];

  /** How far each view has come. */
  #seen: readonly Position[] = [];
  readonly #buyers: CommandLoop;
  readonly #projector: Projector;

  private constructor(
    folder: string,
    private readonly log: EmbeddedLog,
    private readonly readers: EmbeddedViewReaders,
  ) {
    const clock = this.#clock;
    this.#buyers = new CommandLoop({
      log,
      codec,
      clock,
      followers: purchasing.followers,
      machine: thisMachine,
      guard: openGuard(),
    });
    this.#projector = new Projector({
      log,
      store: EmbeddedViewStore.open(join(folder, 'views')),
      codec,
      views: this.#views,
      report: ({ views }) => {
        readers.refresh();
        this.#seen = views.map(({ position }) => position);
      },
      time: thisMachine.time,
    });
  }

  static async open(folder: string, redis: { readonly url: string; readonly prefix: string }): Promise<HoldShop> {
    const log = await EmbeddedLog.open({ file: join(folder, 'events.db') });
    const shop = new HoldShop(folder, log, EmbeddedViewReaders.open(join(folder, 'views')));
    await shop.#projector.start();
    for (let count = 0; count < 2; count += 1) shop.#workers.push(await shop.#newWorker(redis));
    return shop;
  }

  get #views(): readonly View[] {
    return [...this.#lists, this.#followers].map(({ view }) => view);
  }

  async #newWorker(redis: { readonly url: string; readonly prefix: string }): Promise<WorkerProcess> {
    const [log, clock, followers] = [this.log, this.#clock, purchasing.followers];
    const loop = new CommandLoop({ log, codec, clock, followers, machine: thisMachine, guard: openGuard() });
    const by = { loop, clock, randomness: thisMachine.randomness };
    const carriesOn = followersWork(this.#followers, {
      followers,
      log,
      codec,
      ...by,
      randomness: thisMachine.randomness,
    });
    const lists = openWork([...this.#lists, this.#followers], [carriesOn], by);
    const timers = await BullMqTimers.open({
      ...redis,
      clock,
      lists: lists.map(({ name }) => name),
      onError: (error) => void this.logged.errors.push(String(error)),
      away: (message) => void this.logged.warnings.push(message),
      warn: (message) => void this.logged.warnings.push(message),
    });
    const runner = new WorkRunner({ lists, readers: this.readers, timers, clock, guard: openGuard() });
    runner.start();
    return { loop, timers, runner };
  }

  async newDeal(deal: string, units: number): Promise<void> {
    const now = this.#clock.now();
    await this.#send(deal, {
      type: 'set-stock',
      looked: Infinity,
      units,
      change_id: newCommandId(Date.now(), thisMachine.randomness),
    });
    await this.#send(deal, {
      type: 'set-terms',
      terms: {
        deal: summaryOf(deal),
        on_sale: true,
        start_at: now - DAY,
        end_at: now + 1_000 * DAY,
        price: 1_000,
        max_per_user: null,
        expires_at: null,
        expiration_days: null,
      },
    });
  }

  /** Holds a unit; undefined when none is left. */
  async place(deal: string): Promise<DueRow | undefined> {
    const reservation_id = randomBytes(16).toString('hex');
    const dueAt = this.#clock.now() + HOLD_FOR;
    const hold = { reservation_id, partner_id: 'acme', quantity: 1, holder_id: null };
    const placed = await this.#send(deal, { type: 'place-hold', looked: Infinity, ...hold });
    return placed ? { key: reservation_id, dueAt } : undefined;
  }

  /** True when it was in time, or a unit was left. */
  claim(deal: string, purchase_id: string): Promise<boolean> {
    return this.#send(deal, {
      type: 'claim',
      number: 0,
      purchase_id,
      partner_id: 'acme',
      user_id: `user-${purchase_id}`,
      holder_id: null,
      quantity: 1,
      price: 1_000,
      deal: summaryOf(deal),
      reserved_at: this.#clock.now(),
      coupons: [{ id: `coupon-of-${purchase_id}`, barcode: '123456789012' }],
    });
  }

  async release(deal: string, reservation_id: string): Promise<void> {
    await this.#send(deal, { type: 'release', number: 0, reservation_id });
  }

  /** Tells the workers about written rows, as one worker's projector does. */
  noticed(rows: readonly DueRow[]): void {
    this.#workers[0]?.runner.noticed('hold-expiry', rows);
  }

  /** Moves the test clock, and tells every worker. */
  forward(milliseconds: number): void {
    this.#clock.follow(this.#clock.ahead + milliseconds);
    for (const { timers } of this.#workers) timers.clockMoved();
  }

  /** The number of rows that are due and not done, once the views have seen the whole log. */
  async open(): Promise<number> {
    const head = await this.log.head();
    if (this.#seen.length === 0 || this.#seen.some((position) => position < head)) return Infinity;
    const due = lte('due_at', this.#clock.now());
    const counts = await Promise.all(this.#views.map((view) => this.readers.reader(view).count(due)));
    return counts.reduce((sum, count) => sum + count, 0);
  }

  async close(): Promise<void> {
    await Promise.all(this.#workers.map(({ timers }) => timers.close()));
    for (const { loop } of this.#workers) await loop.close();
    await this.#buyers.close();
    await this.#projector.close();
    await this.readers.close();
    await this.log.close();
  }

  /** False for the refusal that the rules foresee. */
  async #send(deal: string, command: InventoryCommand): Promise<boolean> {
    const commandId = newCommandId(this.#clock.now(), thisMachine.randomness);
    try {
      await this.#buyers.execute(inventory, deal, await withHoldNumber(this.#buyers, command), {
        commandId,
        correlation: commandId,
        actor: 'partner:acme',
      });
      return true;
    } catch (error) {
      if (error instanceof DomainError) return false;
      throw error;
    }
  }
}
