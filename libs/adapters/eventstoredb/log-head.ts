import { thisMachine } from '#adapters/machine';
import { isLastPage, type SearchedLog, type Time } from '#eventsourcing';
import type { Position } from '#kernel';
import { isLate } from './answers.js';
import type { OwnStreams } from './own-streams.js';
import { NoEventThere, type Server, type ServerEvent } from './server.js';
import type { StreamWatch } from './stream-watch.js';
import { walk } from './walk.js';

/** Events per read on the way back to our last one: the server filters out nearly everyone else's. */
const BACK = 32;
/** Events per read of what has come since. */
const FORTH = 1_000;
/** The most suspicious events that one search keeps. The whole log is refused long before so many streams have findings. */
const KEPT_MOST = 20_000;
/** The longest search backwards, in milliseconds, if nothing is known and many events of others follow our last one. */
const SEARCH_WITHIN = 30_000;

/** What a search does with events that may show that a stream of ours was cut, deleted or written into. */
export type Suspicions = Pick<StreamWatch, 'isSuspicious' | 'examine'>;

/**
 * Finds our last event among everyone's. The first search begins where an earlier process ended, or goes backwards from the
 * end if nothing is known. Later ones go on from the last answer: nothing of others is searched twice. A place counts as
 * searched only when what the search found up to there is reported.
 */
export class LogHead {
  #known: SearchedLog | undefined;

  /**
   * @param before how far an earlier process has searched; it counts if the log has both events
   * @param suspicions absent if somebody else reports what is wrong with our streams
   */
  constructor(
    private readonly server: Pick<Server, 'readAll' | 'readBack'> & Partial<Pick<Server, 'subscribe'>>,
    private readonly ours: OwnStreams,
    private readonly before?: SearchedLog,
    private readonly time: Time = thisMachine.time,
    private readonly suspicions?: Suspicions,
  ) {}

  /** How far the log was searched. */
  get known(): SearchedLog | undefined {
    return this.#known;
  }

  /** Its position; 0n if there is none. */
  async find(): Promise<Position> {
    const [last] = await this.server.readBack(undefined, 1, []);
    if (last === undefined) return 0n;
    const known = this.#known ?? (await this.#begin());
    if (known?.end === last.position && known.endId === last.id) return (this.#known = known).head;
    const found = await this.#search(known);
    const { position: head, id } = found ?? { position: known?.head ?? 0n, id: known?.id ?? '' };
    this.#known = { head, id, end: last.position, endId: last.id };
    // Something of ours may have come during the search: then it went beyond the end.
    if (head > last.position) this.#known = { head, id, end: head, endId: id };
    return head;
  }

  /** What an earlier process has searched, if it is this log. Events of others may be gone. */
  async #begin(): Promise<SearchedLog | undefined> {
    const { before } = this;
    if (before === undefined || !(await this.#has(before.head, before.id))) return undefined;
    if (await this.#has(before.end, before.endId)) return before;
    return before.head === 0n ? undefined : { ...before, end: before.head, endId: before.id };
  }

  async #has(position: Position, id: string): Promise<boolean> {
    if (position === 0n) return true;
    try {
      const [event] = await this.server.readAll(position, 1);
      return event?.position === position && event.id === id;
    } catch (error) {
      if (error instanceof NoEventThere) return false;
      throw error;
    }
  }

  /** Our last event after what is known; undefined if there is none. */
  async #search(known: SearchedLog | undefined): Promise<ServerEvent | undefined> {
    if (known === undefined) return this.#searchBackwards();
    try {
      return await this.#searchForwards(known.end);
    } catch (error) {
      // Others' events may have been scavenged.
      if (error instanceof NoEventThere) return this.#searchBackwards();
      if (!isLate(error) || this.server.subscribe === undefined) throw error;
      return this.#walk(known.end, { subscribe: this.server.subscribe.bind(this.server) });
    }
  }

  async #searchBackwards(): Promise<ServerEvent | undefined> {
    for (let before: Position | undefined; ;) {
      const events = await this.server.readBack(before, BACK, this.ours.watchedPrefixes, SEARCH_WITHIN);
      const last = events.find((event) => this.#isOurs(event));
      await this.#examine(last === undefined ? events : events.slice(0, events.indexOf(last)));
      if (last !== undefined || isLastPage(events, BACK)) return last;
      before = events.at(-1)?.position;
    }
  }

  async #searchForwards(from: Position): Promise<ServerEvent | undefined> {
    let found: ServerEvent | undefined;
    for (let at = from; ;) {
      const events = await this.server.readAll(at, FORTH, this.ours.watchedPrefixes);
      await this.#examine(events.filter(({ position }) => position > at));
      found = events.findLast((event) => event.position > from && this.#isOurs(event)) ?? found;
      const last = events.at(-1);
      if (last === undefined || isLastPage(events, FORTH)) return found;
      at = last.position;
    }
  }

  /** The same without a deadline. */
  async #walk(after: Position, server: Pick<Server, 'subscribe'>): Promise<ServerEvent | undefined> {
    const { ours, time } = this;
    let found: ServerEvent | undefined;
    const suspicious: ServerEvent[] = [];
    const see = (event: ServerEvent): boolean => {
      if (this.#isOurs(event)) found = event;
      else if (suspicious.length < KEPT_MOST && this.suspicions?.isSuspicious(event) === true) suspicious.push(event);
      return false;
    };
    await walk(server, { names: ours.watchedPrefixes, after, see, time });
    await this.#examine(suspicious);
    return found;
  }

  async #examine(events: readonly ServerEvent[]): Promise<void> {
    await this.suspicions?.examine(events);
  }

  #isOurs(event: ServerEvent): boolean {
    return this.ours.classify(event).kind === 'ours';
  }
}
