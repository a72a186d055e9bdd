import { changeEntry, type KeyValueStore, type LedgerMark, type Time, type Timer } from '#eventsourcing';
import type { LedgerElsewhere } from '#purchasing/ports';
import { LEDGER_ENTRY } from './ledger-entry.js';

/** How often the service saves the end of the ledger if it has changed, in milliseconds. */
const EVERY = 1_000;

/** How far the ledger is known, and how far it is. */
export interface KnownLedger {
  /** undefined: nothing is known of this ledger. */
  readonly known: LedgerMark | undefined;
  readonly there: LedgerMark;
  /** Whether the ledger has what is known of it. */
  readonly reached: boolean;
}

/** The known end of the gateway's ledger: the log knows everything up to it, and an older copy of the ledger does not reach it. */
export interface KnownEnd {
  /** @throws Unavailable if the key store cannot answer; GatewayOutcomeUnknown if the gateway cannot */
  look(): Promise<KnownLedger>;
  /** Moves the known end on: the log knows everything up to here. Later calls name a ledger that reaches it. */
  reach(there: LedgerMark): Promise<void>;
  /** Replaces the known end, because an operator has accepted another one. */
  begin(there: LedgerMark): Promise<void>;
  /** Saves what is known. */
  close(): Promise<void>;
}

/** What the key store knows about the ledger. */
interface Known extends LedgerMark {
  /** How often an operator has accepted another end. Each time, what processes remember from before stops counting. */
  readonly begun?: number;
}

/**
 * The known end of the ledger of a gateway in another process. Every process that calls the gateway saves it beside the keys, so
 * that an older copy of the ledger is noticed.
 */
export class LedgerMarks implements KnownEnd {
  #begun = 0;
  /** The furthest end that this process has read from the key store. */
  #highest: Known | undefined;
  #saving: Promise<void> = Promise.resolve();
  readonly #timer: Timer;

  /** @param mayWrite whether this process may write to the key store now */
  constructor(
    private readonly keyValues: KeyValueStore,
    private readonly ledger: Pick<LedgerElsewhere, 'mark' | 'means' | 'look'>,
    private readonly mayWrite: () => boolean,
    private readonly time: Time,
  ) {
    this.#timer = this.time.every(EVERY, () => this.#saveSoon()).unref();
  }

  async look(): Promise<KnownLedger> {
    const known = await this.#settle();
    const { mark: there, reached } = await this.ledger.look(known);
    // The caller has already checked whose ledger it is.
    return known?.identity === there.identity ? { known, there, reached } : { known: undefined, there, reached: true };
  }

  async reach(there: LedgerMark): Promise<void> {
    const known = parse(await this.keyValues.get(LEDGER_ENTRY));
    if (known !== undefined && known.identity !== there.identity) return this.begin(there);
    this.ledger.means(there);
    await this.#settle();
  }

  async begin(there: LedgerMark): Promise<void> {
    let known: Known = there;
    await changeEntry(this.keyValues, LEDGER_ENTRY, (text) => {
      known = { ...there, begun: (parse(text)?.begun ?? 0) + 1 };
      return JSON.stringify(known);
    });
    this.#highest = known;
    this.#begun = known.begun ?? 0;
    this.ledger.means(there);
  }

  /** Saves the last changes. */
  async close(): Promise<void> {
    this.time.cancel(this.#timer);
    this.#saveSoon();
    await this.#saving;
  }

  #saveSoon(): void {
    // The next save makes up for a failed one.
    this.#saving = this.#saving
      .then(() => this.#settle())
      .then(
        () => undefined,
        () => undefined,
      );
  }

  /** Saves the end that this process knows, if it is further. @returns the known end */
  async #settle(): Promise<LedgerMark | undefined> {
    let settled: { readonly known: LedgerMark | undefined; readonly next?: Known } = { known: undefined };
    await changeEntry(this.keyValues, LEDGER_ENTRY, (text) => {
      settled = this.#settled(parse(text));
      return settled.next && JSON.stringify(settled.next);
    });
    const { known, next } = settled;
    if (next !== undefined) this.#highest = next;
    return known;
  }

  /** The known end, and what the key store must know next if it knows less. @param stored what it knows now */
  #settled(stored: Known | undefined): { readonly known: LedgerMark | undefined; readonly next?: Known } {
    // The key store has gone back: this process must not write to it.
    if (this.#highest !== undefined && isLess(stored, this.#highest)) return { known: this.#highest };
    this.#highest = stored;
    const begun = stored?.begun ?? 0;
    if (begun > this.#begun) {
      this.#begun = begun;
      this.ledger.means(undefined);
    }
    const own = this.ledger.mark;
    if (own === undefined || (stored?.identity === own.identity && stored.size >= own.size)) return { known: stored };
    return this.mayWrite() ? { known: own, next: { ...own, begun } } : { known: own };
  }
}

/** Whether the key store has gone back: it knows less than `before`, which it has known before. */
function isLess(stored: Known | undefined, before: Known): boolean {
  if (stored === undefined) return true;
  const [now, then] = [stored.begun ?? 0, before.begun ?? 0];
  return now < then || (now === then && stored.identity === before.identity && stored.size < before.size);
}

function parse(text: string | undefined): Known | undefined {
  return text === undefined ? undefined : (JSON.parse(text) as Known);
}
