import { setTimeout as pause } from 'node:timers/promises';
import { Unavailable, type EventLogReader } from '#eventsourcing';
import type { Recorded } from '#kernel';
import type { Answer, Sent } from '../lines/api.child.js';
import type { Api } from '../lines/api.js';
import { KINDS, newDeal, newSale } from '../lines/sales.js';

/** Milliseconds before a caller that got "unavailable" tries again. */
const COMES_AGAIN = 20;

const either = <T>(of: readonly T[]): T => of[Math.floor(Math.random() * of.length)] as T;

/** Buyers of one deal after another, at several APIs; each repeats a command under one id until there is an answer. */
export class Shoppers {
  readonly deals: string[] = [];
  readonly answers: Answer[] = [];
  /** When units were sold, by `performance.now`. */
  readonly sales: number[] = [];
  /** Units that one answer promised and a later read or command did not know. */
  behind = 0;
  away = 0;
  #ended = false;
  readonly #running: Promise<void>[] = [];

  constructor(
    private readonly apis: readonly Api[],
    private readonly reader: EventLogReader,
    private readonly units: number,
  ) {}

  /** Starts this many buyers for each of this many deals at once. */
  start(lanes: number, buyers: number): void {
    for (let lane = 0; lane < lanes; lane += 1) this.#running.push(this.#sellOut(lane, buyers));
  }

  /** Waits until everything begun has an answer. */
  async end(): Promise<void> {
    this.#ended = true;
    await Promise.all(this.#running);
  }

  async #sellOut(lane: number, buyers: number): Promise<void> {
    for (let number = 0; !this.#ended; number += 1) {
      const deal = `deal-${lane}-${number}`;
      this.deals.push(deal);
      for (const step of newDeal(deal, this.units)) await this.#settle(step);
      await Promise.all(Array.from({ length: buyers }, () => this.#buy(deal)));
    }
  }

  /** Until the deal is sold out. */
  async #buy(deal: string): Promise<void> {
    while (!this.#ended) {
      const sale = newSale(deal, either(KINDS), 1);
      for (const step of sale.before) await this.#settle(step);
      const taken = await this.#settle(sale.takes);
      if (taken.kind !== 'yes') return;
      this.sales.push(performance.now());
      await this.#expectThere(taken.events);
      for (const step of sale.after) if ((await this.#settle(step)).kind !== 'yes') this.behind += 1;
    }
  }

  /** Expects that a read finds these events, at any node. */
  async #expectThere(events: readonly Omit<Recorded, 'position'>[]): Promise<void> {
    for (const { stream, revision, id } of events) {
      const [there] = await this.#read(stream, revision);
      if (there?.id !== id) this.behind += 1;
    }
  }

  async #read(stream: string, from: number): Promise<readonly Recorded[]> {
    for (;;) {
      try {
        return await this.reader.readStream(stream, from, 1);
      } catch (error) {
        if (!(error instanceof Unavailable)) throw error;
        await pause(COMES_AGAIN);
      }
    }
  }

  async #settle(sent: Sent): Promise<Answer> {
    for (;;) {
      const answer = await (either(this.apis).ask(sent)[0] as Promise<Answer>);
      this.answers.push(answer);
      if (answer.kind !== 'away') return answer;
      this.away += 1;
      await pause(COMES_AGAIN);
    }
  }
}
