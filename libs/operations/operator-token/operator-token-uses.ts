import { BoundedMap, changeEntry, type Clock, everything, type KeyValueStore, type Reader } from '#eventsourcing';
import { DAY, type Instant, MINUTE } from '#kernel';
import { hasEnded, operatorTokensView } from './operator-token.view.js';

/** The entry with the days of all tokens: tokens that count no more leave it with the next change. */
const ENTRY = 'operator-token-uses';
/** Tokens whose days are kept, and that are remembered in each of the two generations of the memory. */
const MOST = 1_000;

/** Days by token id, `YYYY-MM-DD` in UTC. */
export type DaysOfTokens = Readonly<Record<string, string>>;

/**
 * The day of the last use of each operator's or auditor's token (rule G14.1), beside the keys of the installation and not in the
 * log. A process writes it once a day for each token, after the call and not for it; no call waits, and none fails with it.
 */
export class OperatorTokenUses {
  /** Until when the use of a token needs no write, by its id. */
  readonly #noted = new BoundedMap<string, Instant>(MOST);
  #written: Promise<void> = Promise.resolve();

  /** @param mayWrite whether this process may write beside the keys now */
  constructor(
    private readonly reader: Reader,
    private readonly clock: Clock,
    private readonly keyValues: KeyValueStore,
    private readonly mayWrite: () => boolean,
  ) {}

  /** Notes that a token is used now. */
  note(id: string): void {
    const now = this.clock.now();
    if (now < (this.#noted.get(id) ?? 0)) return;
    const day = Math.floor(now / DAY);
    this.#noted.set(id, (day + 1) * DAY);
    this.#written = this.#written
      .then(() => this.#keep(id, new Date(day * DAY).toISOString().slice(0, 10)))
      // A later use makes up for it.
      .catch(() => this.#noted.set(id, now + MINUTE));
  }

  /** The days of all tokens; one that was never used has none. */
  async all(): Promise<DaysOfTokens> {
    return daysIn(await this.keyValues.get(ENTRY));
  }

  /** Ends after the writes under way. */
  async close(): Promise<void> {
    await this.#written;
  }

  async #keep(id: string, day: string): Promise<void> {
    const reader = this.reader.of(operatorTokensView);
    const found = await reader.find({ where: everything, sort: [], page: 1, perPage: MOST });
    const now = this.clock.now();
    const count = new Set([
      id,
      ...found.filter(({ row }) => !row.revoked && !hasEnded(row, now)).map(({ row }) => row.id),
    ]);
    await changeEntry(this.keyValues, ENTRY, (before) => {
      if (!this.mayWrite()) throw new Error('nothing may be written beside the keys now');
      const days = Object.entries({ ...daysIn(before), [id]: day });
      return JSON.stringify(Object.fromEntries(days.filter(([of]) => count.has(of))));
    });
  }
}

function daysIn(text: string | undefined): DaysOfTokens {
  return text === undefined ? {} : (JSON.parse(text) as DaysOfTokens);
}
