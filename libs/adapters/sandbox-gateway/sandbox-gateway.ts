import { thisMachine } from '#adapters/machine';
import type { LedgerMark, Time } from '#eventsourcing/ports';
import type { Instant } from '#kernel';
import { FILES } from '#kernel/bounds';
import {
  GatewayOutcomeUnknown,
  GatewayRefused,
  OtherLedger,
  PaymentGateway,
  type Charge,
  type ChargeOutcome,
  type Done,
  type LedgerHere,
  type LedgerPage,
} from '#purchasing/ports';
import { Accounts } from './accounts.js';
import { LedgerFile } from './ledger-file.js';
import { type CancelLine, type ChargeLine, entryOf, type LedgerLine, type RefundLine } from './ledger-line.js';
import { treatmentOf } from './sandbox-cards.js';

export interface SandboxOptions {
  /** The ledger's file in an existing folder. One process at a time owns it. */
  readonly ledger: string;
  /** The installation that its calls are for, if they name no other; none by default. */
  readonly installation?: string;
  /** Milliseconds until a call without an answer is given up. */
  readonly timeout: number;
  readonly now: () => Instant;
  /** The bytes of the ledger up to which it takes new charges; by default `CHARGES_UNTIL`. */
  readonly chargesUntil?: number;
  /** This machine's by default. */
  readonly time?: Time;
}

/**
 * A start refuses a larger ledger than `FILES.ledger`. So new charges end before, and leave two thirds to the refunds and
 * cancellations of those that were made.
 */
const CHARGES_UNTIL = FILES.ledger / 3;

/**
 * A gateway that moves no money (ruling D8). Its own ledger has everything that it did, on disk before any answer. It serves
 * each key once: a repeat gets the first outcome. A repeat with other content is refused; cards are not stored for the
 * comparison.
 */
export class SandboxGateway extends PaymentGateway implements LedgerHere {
  override readonly name = 'sandbox';
  readonly place = 'here';
  readonly #accounts = new Accounts();
  readonly #closing = new AbortController();
  readonly #time: Time;
  /** Settles when everything so far is on disk. */
  #written: Promise<void> = Promise.resolve();

  private constructor(
    private readonly file: LedgerFile,
    private readonly options: SandboxOptions,
  ) {
    super();
    this.#time = options.time ?? thisMachine.time;
    for (const line of file.lines) this.#accounts.take(line);
  }

  /** Which ledger it keeps, and how far that is on disk. */
  get mark(): LedgerMark {
    return this.file.mark;
  }

  /** @throws Error with a message for operators if the ledger is damaged or cannot be opened */
  static async open(options: SandboxOptions): Promise<SandboxGateway> {
    return new SandboxGateway(await LedgerFile.open(options.ledger), options);
  }

  /** Whether its ledger was begun when it was opened. */
  get isNew(): boolean {
    return this.file.isNew;
  }

  /** Whether its ledger has on disk what this mark says. */
  reaches(mark: LedgerMark): Promise<boolean> {
    return this.file.reaches(mark);
  }

  override get ledger(): LedgerHere {
    return this;
  }

  identity(): Promise<string> {
    return Promise.resolve(this.mark.identity);
  }

  async linesAfter(mark: LedgerMark, installation = this.#own): Promise<LedgerPage> {
    const found = await this.file.linesAfter(mark);
    if (found === undefined) throw new OtherLedger('the ledger does not have this mark');
    const { lines, end, more } = found;
    return { entries: lines.filter((line) => line.installation === installation).map(entryOf), end, more };
  }

  /** @param installation that asks, as for all calls */
  override async charge(key: string, { amount, card }: Charge, installation = this.#own): Promise<ChargeOutcome> {
    const known = this.#accounts.charge(key);
    if (known !== undefined && known.amount !== amount) throw new GatewayRefused('the key was used for another amount');
    if (known !== undefined && known.outcome !== 'silent') {
      await this.#durable();
      return outcomeOf(known);
    }
    if (!Number.isSafeInteger(amount) || amount < 0) throw new GatewayRefused('an amount is whole cents');
    if (known === undefined && this.mark.size >= (this.options.chargesUntil ?? CHARGES_UNTIL))
      throw new GatewayRefused(
        'the ledger of the sandbox gateway is full: it is for trying out. Begin with another DATA_DIR',
      );
    const treatment = treatmentOf(card.number);
    const last4 = card.number.slice(-4);
    const done = {
      kind: 'charge',
      key,
      amount,
      last4,
      installation,
      at: this.options.now(),
      reference: this.#nextReference(),
    } as const;
    if (this.#accounts.cancel(key) !== undefined) return this.#charged({ ...done, outcome: 'cancelled' });
    switch (treatment.kind) {
      case 'approve':
        return this.#charged({ ...done, outcome: 'approved' });
      case 'decline':
        return this.#charged({ ...done, outcome: 'declined', reason: treatment.reason });
      case 'silent at first':
        if (known !== undefined) return this.#charged({ ...done, outcome: 'approved' });
        await this.#record({ ...done, outcome: 'silent' });
        return this.#silence();
      case 'answer lost':
        await this.#record({ ...done, outcome: 'approved' });
        return this.#silence();
    }
  }

  /** @throws GatewayRefused if the refund exceeds the rest of the charge, or the key was used for something else */
  override async refund(
    key: string,
    charged: { readonly key: string; readonly amount: number },
    installation = this.#own,
  ): Promise<Done> {
    const known = this.#accounts.refund(key);
    if (known !== undefined) {
      if (known.charge !== charged.key || known.amount !== charged.amount) {
        throw new GatewayRefused('the key was used for another refund');
      }
      await this.#durable();
      return referenceOf(known);
    }
    const { key: charge, amount } = charged;
    const left = this.#accounts.left(charge);
    if (left === undefined) throw new GatewayRefused('no such charge was approved');
    if (!Number.isSafeInteger(amount) || amount < 1) throw new GatewayRefused('an amount is whole cents');
    if (amount > left) throw new GatewayRefused(`only ${left} cents are left of the charge`);
    const done = { key, charge, amount, installation, at: this.options.now(), reference: this.#nextReference() };
    const line: RefundLine = { kind: 'refund', outcome: 'refunded', ...done };
    await this.#record(line);
    return referenceOf(line);
  }

  override async cancel(key: string, installation = this.#own): Promise<Done & { readonly amount: number }> {
    const known = this.#accounts.cancel(key);
    if (known !== undefined) {
      await this.#durable();
      return { amount: known.amount, ...referenceOf(known) };
    }
    const amount = this.#accounts.left(key) ?? 0;
    const outcome = amount > 0 ? 'refunded' : 'closed';
    const done = { key, amount, installation, at: this.options.now(), reference: this.#nextReference() };
    const line: CancelLine = { kind: 'cancel', outcome, ...done };
    await this.#record(line);
    return { amount, ...referenceOf(line) };
  }

  /** Waits for the writes under way. Calls without an answer end immediately. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.file.close();
  }

  async #charged(line: ChargeLine): Promise<ChargeOutcome> {
    await this.#record(line);
    return outcomeOf(line);
  }

  get #own(): string {
    return this.options.installation ?? '';
  }

  /** The number of the next line. */
  #nextReference(): string {
    return `sandbox-${this.#accounts.lines + 1}`;
  }

  /** Records a line immediately, so that a repeat finds it; callers get their answer only when it is on disk. */
  #record(line: LedgerLine): Promise<void> {
    this.#accounts.take(line);
    this.#written = this.file.append(line);
    return this.#durable();
  }

  /** A line whose sync failed may or may not be on disk; a line for which there is no room gets there later. */
  async #durable(): Promise<void> {
    const over = new AbortController();
    const { signal } = over;
    const { timeout } = this.options;
    try {
      // In its own process, the caller gives up by itself.
      const late = timeout === 0 ? [] : [this.#time.pause(timeout, { signal, ref: false }).then(tooLate)];
      await Promise.race([this.#written, ...late]);
    } catch (error) {
      throw new GatewayOutcomeUnknown('the ledger of the sandbox gateway failed', { cause: error });
    } finally {
      over.abort();
    }
  }

  async #silence(): Promise<never> {
    const { signal } = this.#closing;
    await this.#time.pause(this.options.timeout, { signal });
    throw new GatewayOutcomeUnknown('the gateway gave no answer in time');
  }
}

function tooLate(): never {
  throw new Error('there is no room for it');
}

function referenceOf({ reference }: LedgerLine): Done {
  return { reference };
}

function outcomeOf(line: ChargeLine): ChargeOutcome {
  switch (line.outcome) {
    case 'approved':
    case 'cancelled':
      return { kind: line.outcome, ...referenceOf(line) };
    case 'declined':
      return { kind: line.outcome, reason: line.reason ?? '', ...referenceOf(line) };
    case 'silent':
      throw new Error('a charge without an outcome has no answer');
  }
}
