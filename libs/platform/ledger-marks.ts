import type { HttpSandboxGateway } from '#adapters/sandbox-gateway/http';
import type { KeyValueStore, LedgerMark, Time, Timer } from '#eventsourcing';
import { LEDGER_ENTRY } from './folder/folder-entries.js';

/** How often the service saves the end of the ledger if it has changed, in milliseconds. */
const EVERY = 1_000;

/** What the key store knows about the ledger. */
interface Known extends LedgerMark {
  /** How often an operator has accepted another end. Each time, what processes remember from before stops counting. */
  readonly begun?: number;
}

/**
 * The known end of the ledger of a gateway in another process. Every process that calls the gateway saves it beside the keys, so
 * that an older copy of the ledger is noticed.
 */
export class LedgerMarks {
  #begun = 0;
  /** The furthest end that this process has read from the key store. */
  #met: Known | undefined;
  #saving: Promise<void> = Promise.resolve();
  readonly #timer: Timer;

  /** @param mayWrite whether this process may write to the key store now */
  constructor(
    private readonly keyValues: KeyValueStore,
    private readonly gateway: Pick<HttpSandboxGateway, 'mark' | 'means' | 'look'>,
    private readonly mayWrite: () => boolean,
    private readonly time: Time,
  ) {
    this.#timer = this.time.every(EVERY, () => this.#saveSoon()).unref();
  }

  /**
   * The known end and the present end, if the ledger is shorter than known; otherwise undefined, and later calls name a ledger
   * that reaches the known end.
   * @throws Unavailable if the key store cannot answer; GatewayOutcomeUnknown if the gateway cannot
   */
  async missing(): Promise<{ readonly known: LedgerMark; readonly there: LedgerMark | undefined } | undefined> {
    const known = await this.#settle();
    const found = await this.gateway.look(known);
    if (found === undefined) return undefined;
    const { identity, mark: there, reached } = found;
    if (known !== undefined && known.identity === identity && !reached) return { known, there };
    // The caller has already checked whose ledger it is.
    if (known !== undefined && known.identity !== identity) await this.begin(there);
    else this.gateway.means(there);
    return undefined;
  }

  /** Replaces the known end by this one. */
  async begin(there: LedgerMark | undefined): Promise<void> {
    if (there === undefined) return;
    for (;;) {
      const text = await this.keyValues.get(LEDGER_ENTRY);
      const begun = (parse(text)?.begun ?? 0) + 1;
      if (!(await this.#put(text, { ...there, begun }))) continue;
      this.#begun = begun;
      this.gateway.means(there);
      return;
    }
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
    for (;;) {
      const text = await this.keyValues.get(LEDGER_ENTRY);
      const stored = parse(text);
      // The key store has gone back: this process must not write to it.
      if (this.#met !== undefined && isLess(stored, this.#met)) return this.#met;
      this.#met = stored;
      const begun = stored?.begun ?? 0;
      if (begun > this.#begun) {
        this.#begun = begun;
        this.gateway.means(undefined);
      }
      const own = this.gateway.mark;
      if (own === undefined || (stored?.identity === own.identity && stored.size >= own.size)) return stored;
      if (!this.mayWrite() || (await this.#put(text, { ...own, begun }))) return own;
    }
  }

  async #put(text: string | undefined, known: Known): Promise<boolean> {
    const next = JSON.stringify(known);
    const put =
      text === undefined
        ? (await this.keyValues.insert(LEDGER_ENTRY, next)) === next
        : await this.keyValues.replace(LEDGER_ENTRY, text, next);
    if (put) this.#met = known;
    return put;
  }
}

/** Whether the key store has gone back: it knows less than `met`, which it has known before. */
function isLess(stored: Known | undefined, met: Known): boolean {
  if (stored === undefined) return true;
  const [now, then] = [stored.begun ?? 0, met.begun ?? 0];
  return now < then || (now === then && stored.identity === met.identity && stored.size < met.size);
}

function parse(text: string | undefined): Known | undefined {
  return text === undefined ? undefined : (JSON.parse(text) as Known);
}
