import type { HttpSandboxGateway } from '#adapters/sandbox-gateway/http';
import type { Facts, LedgerMark, Time, Timer } from '#eventsourcing';
import { LEDGER_FACT } from './folder/folder-facts.js';

/** How often it is written down how far the ledger is, in milliseconds, while something is new. */
const EVERY = 1_000;

/** What the key store knows of the ledger. */
interface Known extends LedgerMark {
  /** How often it was begun anew, for an operator has accepted another end: what processes remembered before counts no more. */
  readonly begun?: number;
}

/**
 * How far the ledger of a gateway in another process is known to be on disk: kept beside the keys, by every process that asks
 * the gateway, so that an older copy of it is seen.
 */
export class LedgerMarks {
  #begun = 0;
  /** The furthest that the key store has been seen to know. */
  #met: Known | undefined;
  #saving: Promise<void> = Promise.resolve();
  readonly #timer: Timer;

  /** @param mayWrite whether the key store may be written to now */
  constructor(
    private readonly facts: Facts,
    private readonly gateway: Pick<HttpSandboxGateway, 'mark' | 'means' | 'look'>,
    private readonly mayWrite: () => boolean,
    private readonly time: Time,
  ) {
    this.#timer = this.time.every(EVERY, () => this.#saveSoon()).unref();
  }

  /**
   * What is known of the gateway's ledger, and how far it is, where it lacks that; else calls are for a ledger that has it.
   * @throws Unavailable when the key store cannot be asked; GatewayOutcomeUnknown when the gateway cannot
   */
  async missing(): Promise<{ readonly known: LedgerMark; readonly there: LedgerMark | undefined } | undefined> {
    const known = await this.#settle();
    const found = await this.gateway.look(known);
    if (found === undefined) return undefined;
    const { identity, mark: there, reached } = found;
    if (known !== undefined && known.identity === identity && !reached) return { known, there };
    // Whose ledger it is, was seen to before.
    if (known !== undefined && known.identity !== identity) await this.begin(there);
    else this.gateway.means(there);
    return undefined;
  }

  /** Begins anew at this end, whatever was known. */
  async begin(there: LedgerMark | undefined): Promise<void> {
    if (there === undefined) return;
    for (;;) {
      const text = await this.facts.get(LEDGER_FACT);
      const begun = (parse(text)?.begun ?? 0) + 1;
      if (!(await this.#put(text, { ...there, begun }))) continue;
      this.#begun = begun;
      this.gateway.means(there);
      return;
    }
  }

  /** Writes down the rest. */
  async close(): Promise<void> {
    this.time.cancel(this.#timer);
    this.#saveSoon();
    await this.#saving;
  }

  #saveSoon(): void {
    // One that fails is made up for by the next.
    this.#saving = this.#saving
      .then(() => this.#settle())
      .then(
        () => undefined,
        () => undefined,
      );
  }

  /** Writes down what this process knows, where it is further. @returns what is known */
  async #settle(): Promise<LedgerMark | undefined> {
    for (;;) {
      const text = await this.facts.get(LEDGER_FACT);
      const stored = parse(text);
      // Nothing is written to a key store that is not what it was.
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
        ? (await this.facts.insert(LEDGER_FACT, next)) === next
        : await this.facts.replace(LEDGER_FACT, text, next);
    if (put) this.#met = known;
    return put;
  }
}

/** Whether the key store, once it has known `met`, cannot know this alone. */
function isLess(stored: Known | undefined, met: Known): boolean {
  if (stored === undefined) return true;
  const [now, then] = [stored.begun ?? 0, met.begun ?? 0];
  return now < then || (now === then && stored.identity === met.identity && stored.size < met.size);
}

function parse(text: string | undefined): Known | undefined {
  return text === undefined ? undefined : (JSON.parse(text) as Known);
}
