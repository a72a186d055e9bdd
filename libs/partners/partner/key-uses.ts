import { BoundedMap, changeEntry, type Clock, type KeyValueStore, type Writer } from '#eventsourcing';
import { DAY, MINUTE, type Instant } from '#kernel';
import { keyOf, partner, type PartnerState } from './partner.decider.js';

/** Keys in each of the two generations of the memory. */
const REMEMBERED = 10_000;

/** Days by key id, `YYYY-MM-DD` in UTC. */
export type DaysOfUse = Readonly<Record<string, string>>;

/**
 * The day of each key's last use (ruling I8): one text per partner beside the keys of the installation, not in the log. A process
 * writes it once a day for each key that is used, after the call and not for it; no call waits, and none fails with it.
 */
export class KeyUses {
  /** Until when the use of a key needs no write, by key id. */
  readonly #noted = new BoundedMap<string, Instant>(REMEMBERED);
  #written: Promise<void> = Promise.resolve();

  /** @param mayWrite whether this process may write beside the keys now */
  constructor(
    private readonly writer: Writer,
    private readonly clock: Clock,
    private readonly keyValues: KeyValueStore,
    private readonly mayWrite: () => boolean,
  ) {}

  /** Notes that a key is used now. */
  note(partnerId: string, keyId: string): void {
    const now = this.clock.now();
    if (now < (this.#noted.get(keyId) ?? 0)) return;
    const day = Math.floor(now / DAY);
    this.#noted.set(keyId, (day + 1) * DAY);
    this.#written = this.#written
      .then(() => this.#change(partnerId, { [keyId]: new Date(day * DAY).toISOString().slice(0, 10) }))
      // A later use makes up for it.
      .catch(() => this.#noted.set(keyId, now + MINUTE));
  }

  /** Drops what is kept of keys that count no more. */
  forget(partnerId: string): Promise<void> {
    return this.#change(partnerId, {});
  }

  /** The days of a partner's keys; a key that was never used has none. */
  async of(partnerId: string): Promise<DaysOfUse> {
    return daysIn(await this.keyValues.get(entryOf(partnerId)));
  }

  /** Ends after the writes under way. */
  async close(): Promise<void> {
    await this.#written;
  }

  async #change(partnerId: string, used: DaysOfUse): Promise<void> {
    const name = entryOf(partnerId);
    const state = await this.writer.read(partner, partnerId);
    await changeEntry(this.keyValues, name, (before) => {
      if (!this.mayWrite()) throw new Error('nothing may be written beside the keys now');
      const text = JSON.stringify(ofValidKeys(state, { ...daysIn(before), ...used }));
      return before === undefined && text === '{}' ? undefined : text;
    });
  }
}

function entryOf(partnerId: string): string {
  return `key-uses:${partnerId}`;
}

function daysIn(text: string | undefined): DaysOfUse {
  return text === undefined ? {} : (JSON.parse(text) as DaysOfUse);
}

/** So the text ends with the keys: it has no more entries than the partner has keys. */
function ofValidKeys(state: PartnerState, days: DaysOfUse): DaysOfUse {
  return Object.fromEntries(Object.entries(days).filter(([keyId]) => keyOf(state, keyId) !== undefined));
}
