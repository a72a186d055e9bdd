import {
  BoundedMap,
  CALL_PATIENCE,
  gt,
  timeLeft,
  Unavailable,
  type Reader,
  type Clock,
  type Time,
} from '#eventsourcing';
import { DomainError, SECOND, type Instant } from '#kernel';
import {
  cardNamed,
  declinedTriesView,
  declineIn,
  DECLINES_COUNT_FOR,
  userNamed,
  withDecline,
  type DeclinedTry,
} from './declined-tries.view.js';

/** The declines within an hour after which a card or a user has to wait (ruling I12); null: any number. */
export interface DeclineLimits {
  readonly card: number | null;
  readonly user: number | null;
}

/** Whose try to pay it is. */
export interface Payer {
  readonly user_id: string;
  /** See `numberHashOf`; undefined if the card is not known. */
  readonly number_hash: string | undefined;
}

/** @param taken whether the gateway took the money */
export type EndTry = (taken: boolean) => void;

/** A card or a user with a limit. */
interface Limited {
  readonly who: string;
  readonly limit: number;
}

/** Cards and users in each of the two generations of what is remembered. */
const REMEMBERED_PAYERS = 50_000;
const PAGE = 1_000;

/**
 * Counts the declines of each card and user, so that nobody finds out by many tries which cards the gateway takes (ruling I12).
 * What counts is in memory: a sale costs two look-ups. A start reads the declines of the last hour from their view; those of
 * other processes come with the log.
 */
export class Tries {
  readonly #declines = new BoundedMap<string, readonly DeclinedTry[]>(REMEMBERED_PAYERS);
  /** Cards that the gateway took, and did not decline since: any number of their tries may be under way. */
  readonly #taken = new BoundedMap<string, true>(REMEMBERED_PAYERS);
  /** The tries under way, by card and by user, with the calls that wait for one of them to end. */
  readonly #underWay = new Map<string, { tries: number; waiting: (() => void)[] }>();
  #read: Promise<void> | undefined;

  constructor(
    private readonly reader: Reader,
    private readonly clock: Clock,
    private readonly time: Time,
    private readonly limits: DeclineLimits,
  ) {}

  /** Counts a decline; ignores every other event. */
  note(event: Parameters<typeof declineIn>[0]): void {
    const found = declineIn(event);
    if (found === undefined) return;
    for (const who of found.of) this.#add(who, found.declined);
  }

  /**
   * Begins a try to pay. As many tries of a card or user are under way as could be declined; others wait for their outcome. So
   * not even parallel tries get more declines than the limit, except through several processes.
   * @returns what ends the try: call it whatever comes of it
   * @throws DomainError declined, with `retry_after`, the seconds until another try may be made
   * @throws Unavailable if tries under way do not end in time
   */
  async begin(payer: Payer): Promise<EndTry> {
    const limited = this.#limitsOf(payer);
    if (limited.length === 0) return () => undefined;
    await (this.#read ??= this.#readRecent());
    await this.#enter(limited);
    return (taken) => {
      if (taken && payer.number_hash !== undefined) this.#taken.set(cardNamed(payer.number_hash), true);
      for (const { who } of limited) this.#leave(who);
    };
  }

  #limitsOf({ user_id, number_hash }: Payer): readonly Limited[] {
    const { card, user } = this.limits;
    const limited: Limited[] = [];
    if (card !== null && number_hash !== undefined) limited.push({ who: cardNamed(number_hash), limit: card });
    if (user !== null) limited.push({ who: userNamed(user_id), limit: user });
    return limited;
  }

  async #enter(limited: readonly Limited[]): Promise<void> {
    for (;;) {
      this.#refuse(limited);
      const full = limited.find((each) => this.#isFull(each));
      if (full === undefined) break;
      await this.#outcomeOf(full.who);
    }
    for (const { who } of limited) {
      const open = this.#underWay.get(who);
      if (open === undefined) this.#underWay.set(who, { tries: 1, waiting: [] });
      else open.tries += 1;
    }
  }

  /** Whether the tries under way would reach the limit if all were declined. */
  #isFull({ who, limit }: Limited): boolean {
    const underWay = this.#underWay.get(who)?.tries ?? 0;
    if (underWay === 0 || this.#taken.get(who) === true) return false;
    return underWay + this.#counting(who).length >= limit;
  }

  #leave(who: string): void {
    const open = this.#underWay.get(who);
    if (open === undefined) return;
    open.tries -= 1;
    if (open.tries === 0) this.#underWay.delete(who);
    for (const look of open.waiting.splice(0)) look();
  }

  /** @throws Unavailable if no try of this card or user ends in time */
  async #outcomeOf(who: string): Promise<void> {
    const { time } = this;
    await new Promise<void>((resolve, reject) => {
      const late = time.after(Math.max(0, timeLeft(CALL_PATIENCE)), () =>
        reject(new Unavailable('other tries of this card or user are under way', 1)),
      );
      this.#underWay.get(who)?.waiting.push(() => {
        time.cancel(late);
        resolve();
      });
    });
  }

  /** @throws DomainError declined for whoever has reached a limit */
  #refuse(limited: readonly Limited[]): void {
    const waits = limited.map(({ who, limit }) => this.#counting(who).at(-limit)?.at ?? null);
    const until = Math.max(...waits.map((at) => (at === null ? 0 : at + DECLINES_COUNT_FOR)));
    if (until === 0) return;
    const retry_after = Math.max(1, Math.ceil((until - this.clock.now()) / SECOND));
    throw new DomainError('declined', 'purchase declined: too many declined tries within an hour', {
      retry_after,
      detail: `nothing was charged, and no purchase was made: try again in ${retry_after} s, with a new Idempotency-Key`,
    });
  }

  /** The declines of a card or user that count now. */
  #counting(who: string): readonly DeclinedTry[] {
    const from: Instant = this.clock.now() - DECLINES_COUNT_FOR;
    return (this.#declines.get(who) ?? []).filter(({ at }) => at > from);
  }

  #add(who: string, declined: DeclinedTry): void {
    this.#declines.set(who, withDecline(this.#declines.get(who) ?? [], declined));
    this.#taken.delete(who);
  }

  /** Reads the declines of the last hour, the latest first, as many as are remembered. A failure is tried again. */
  async #readRecent(): Promise<void> {
    const { reader, clock } = this;
    try {
      await reader.until([declinedTriesView], await reader.end());
      const declined = reader.of(declinedTriesView);
      const where = gt('last_at', clock.now() - DECLINES_COUNT_FOR);
      const sort = [{ field: 'last_at', descending: true }] as const;
      for (let page = 1; page * PAGE <= REMEMBERED_PAYERS; page += 1) {
        const rows = await declined.find({ where, sort, page, perPage: PAGE });
        for (const { row } of rows) for (const each of row.tries) this.#add(row.who, each);
        if (rows.length < PAGE) return;
      }
    } catch (error) {
      this.#read = undefined;
      throw error;
    }
  }
}
