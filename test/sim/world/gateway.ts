import { createHash } from 'node:crypto';
import type { LedgerMark } from '#eventsourcing';
import {
  type Charge,
  type ChargeOutcome,
  type Done,
  GatewayOutcomeUnknown,
  GatewayRefused,
  type LedgerElsewhere,
  type LedgerPage,
  PaymentGateway,
} from '#purchasing';
import type { Owner } from '../core/scheduler.js';
import type { Seeded } from '../core/seeded.js';
import type { World } from './world.js';

/** One line of the gateway's own ledger. */
export type LedgerLine =
  | { readonly kind: 'charge'; readonly key: string; readonly amount: number; readonly outcome: ChargeOutcome['kind'] }
  | { readonly kind: 'refund'; readonly key: string; readonly charge: string; readonly amount: number }
  | { readonly kind: 'cancel'; readonly key: string; readonly amount: number };

/** Lines of one part of its ledger. */
const PART = 3;

const DECLINED_CARD = '4000000000000002';
/** A card that the merchant's contract does not cover. */
export const REFUSED_CARD = '6011111111111117';

/** The simulated payment gateway: a server of somebody else, with a ledger that never loses a line. */
export class GatewayServer {
  readonly ledger: LedgerLine[] = [];
  readonly #charges = new Map<string, { readonly amount: number; readonly outcome: ChargeOutcome }>();
  readonly #refunds = new Map<string, { readonly charge: string; readonly amount: number; readonly done: Done }>();
  readonly #cancels = new Map<string, Done & { readonly amount: number }>();
  readonly #left = new Map<string, number>();
  readonly #refused = new Set<string>();
  /** It takes requests, and answers none before this time, in milliseconds of the world. */
  silentUntil = 0;

  constructor(readonly identity: string) {}

  get mark(): LedgerMark {
    return this.#markAt(this.ledger.length);
  }

  linesAfter(size: number): LedgerPage {
    const lines = this.ledger.slice(size, size + PART);
    const end = size + lines.length;
    const entries = lines.map((line) => ({
      ...{ kind: line.kind, key: line.key, amount: line.amount },
      charge: line.kind === 'refund' ? line.charge : line.key,
    }));
    return { entries, end: this.#markAt(end), more: end < this.ledger.length };
  }

  /** Cents that a charge still holds; undefined if none was approved. */
  left(charge: string): number | undefined {
    return this.#left.get(charge);
  }

  /** From now on it serves this key no more; a refund that it has made stays as it is. */
  refuse(key: string): void {
    this.#refused.add(key);
  }

  charge(key: string, { amount, card }: Charge): ChargeOutcome {
    if (this.#refused.has(key) || card.number === REFUSED_CARD)
      throw new GatewayRefused('the merchant has no such contract any more');
    const known = this.#charges.get(key);
    if (known !== undefined) {
      if (known.amount !== amount) throw new GatewayRefused('the key was used for another amount');
      return known.outcome;
    }
    const done = this.#done();
    const outcome: ChargeOutcome = this.#cancels.has(key)
      ? { kind: 'cancelled', ...done }
      : card.number === DECLINED_CARD
        ? { kind: 'declined', reason: 'the card was declined', ...done }
        : { kind: 'approved', ...done };
    this.#charges.set(key, { amount, outcome });
    if (outcome.kind === 'approved') this.#left.set(key, amount);
    this.ledger.push({ kind: 'charge', key, amount, outcome: outcome.kind });
    return outcome;
  }

  refund(key: string, { key: charge, amount }: { readonly key: string; readonly amount: number }): Done {
    const known = this.#refunds.get(key);
    if (known !== undefined) {
      if (known.charge !== charge || known.amount !== amount) throw new GatewayRefused('the key was used otherwise');
      return known.done;
    }
    if (this.#refused.has(key)) throw new GatewayRefused('the account of this card is closed');
    const left = this.#left.get(charge);
    if (left === undefined) throw new GatewayRefused('no such charge was approved');
    if (amount > left) throw new GatewayRefused(`only ${left} cents are left of the charge`);
    this.#left.set(charge, left - amount);
    const done = this.#done();
    this.#refunds.set(key, { charge, amount, done });
    this.ledger.push({ kind: 'refund', key, charge, amount });
    return done;
  }

  hasRefunded(key: string): boolean {
    return this.#refunds.has(key);
  }

  cancel(key: string): Done & { readonly amount: number } {
    const known = this.#cancels.get(key);
    if (known !== undefined) return known;
    const amount = this.#left.get(key) ?? 0;
    if (amount > 0) this.#left.set(key, 0);
    const done = { amount, ...this.#done() };
    this.#cancels.set(key, done);
    this.ledger.push({ kind: 'cancel', key, amount });
    return done;
  }

  #markAt(size: number): LedgerMark {
    const digest = createHash('sha256')
      .update(JSON.stringify(this.ledger[size - 1] ?? null))
      .digest('hex')
      .slice(0, 16);
    return { identity: this.identity, size, digest };
  }

  #done(): Done {
    return { reference: `simulated-${this.ledger.length + 1}` };
  }
}

/** One process's way to the gateway, over a network that loses, repeats and delays. */
export class GatewayClient extends PaymentGateway implements LedgerElsewhere {
  override readonly name = 'simulated';
  readonly place = 'elsewhere';
  #mark: LedgerMark | undefined;
  readonly #random: Seeded;

  constructor(
    private readonly world: World,
    private readonly owner: Owner,
    private readonly server: GatewayServer,
    private readonly timeout: number,
  ) {
    super();
    this.#random = world.random.of(`gateway ${world.scheduler.steps}`);
  }

  get mark(): LedgerMark | undefined {
    return this.#mark;
  }

  means(mark: LedgerMark | undefined): void {
    this.#mark = mark;
  }

  override get ledger(): LedgerElsewhere {
    return this;
  }

  async identity(): Promise<string> {
    return (await this.look(undefined)).mark.identity;
  }

  look(known: LedgerMark | undefined): Promise<{ readonly mark: LedgerMark; readonly reached: boolean }> {
    return this.#ask('ledger', () => {
      const { mark } = this.server;
      const reached = known?.identity !== mark.identity || known.size <= mark.size;
      return { mark, reached };
    });
  }

  linesAfter({ size }: LedgerMark): Promise<LedgerPage> {
    return this.#ask(`lines after ${size}`, () => this.server.linesAfter(size));
  }

  override charge(key: string, charge: Charge): Promise<ChargeOutcome> {
    return this.#ask(`charge ${key} ${charge.amount}`, () => {
      if (this.world.faults.strikes('gateway: it refuses a charge for good')) this.server.refuse(key);
      return this.server.charge(key, charge);
    });
  }

  override refund(key: string, charged: { readonly key: string; readonly amount: number }): Promise<Done> {
    return this.#ask(`refund ${key} ${charged.amount} of ${charged.key}`, () => {
      const fault = 'gateway: it refuses a refund for good';
      if (this.world.faults.strikes(fault)) {
        this.server.refuse(key);
        // The gateway has given the money back already, and says so again.
        if (this.server.hasRefunded(key)) this.world.faults.hadNoEffect(fault);
      }
      return this.server.refund(key, charged);
    });
  }

  override cancel(key: string): Promise<Done & { readonly amount: number }> {
    return this.#ask(`cancel ${key}`, () => this.server.cancel(key));
  }

  async close(): Promise<void> {
    await Promise.resolve();
  }

  #ask<T>(words: string, work: () => T): Promise<T> {
    const { scheduler, faults, trace } = this.world;
    return new Promise((resolve, reject) => {
      const late = scheduler.after(
        this.timeout,
        () => reject(new GatewayOutcomeUnknown('the gateway gave no answer in time')),
        this.owner,
      );
      const serve = (): void => {
        let answer: () => void;
        try {
          const value = work();
          trace.tell('gateway', words);
          answer = () => {
            const { mark } = this.server;
            if (this.#mark === undefined || mark.size > this.#mark.size) this.#mark = mark;
            resolve(value);
          };
        } catch (error) {
          trace.tell('gateway', `${words}: ${String(error)}`);
          const reason = error instanceof Error ? error : new Error(String(error));
          answer = () => reject(reason);
        }
        if (faults.strikes('gateway: an answer is lost')) return;
        const slow = faults.strikes('gateway: an answer takes long');
        const takes = slow ? this.#random.between(1_000, 30_000) : this.#random.between(2, 80);
        const answered = (): void => {
          scheduler.cancel(late);
          answer();
        };
        scheduler.after(takes, answered, this.owner);
      };
      if (faults.strikes('gateway: a request is lost')) return;
      if (faults.strikes('gateway: it is silent for a while'))
        this.server.silentUntil = scheduler.now + this.#random.between(1_000, 60_000);
      // What it has not served by then is not lost: it serves that when it goes on.
      const silent = Math.max(0, this.server.silentUntil - scheduler.now);
      scheduler.after(silent + this.#random.between(1, 20), serve);
      if (faults.strikes('gateway: a request arrives twice')) scheduler.after(this.#random.between(1, 60_000), serve);
    });
  }
}
