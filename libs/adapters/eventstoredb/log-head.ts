import type { Position } from '#kernel';
import type { OwnStreams } from './own-streams.js';
import { NoEventThere, type Server } from './server.js';

/** Events per read on the way back to our last one: the server filters out nearly everyone else's. */
const BACK = 32;
/** Events per read of what has come since. */
const FORTH = 1_000;
/** The longest first search backwards, in milliseconds, if many events of others follow our last one. */
const SEARCH_WITHIN = 30_000;
/**
 * After the first search, going forwards is shorter than a search backwards that takes longer than this, in milliseconds.
 */
const SHORT = 1_000;

/**
 * Finds our last event among everyone's. The server searches backwards from the end, which takes long only if others have
 * written much since. Then this reads forwards from the last answer, which is never much.
 */
export class LogHead {
  #known: { readonly end: Position; readonly head: Position } | undefined;

  constructor(
    private readonly server: Pick<Server, 'readAll' | 'readBack'>,
    private readonly ours: OwnStreams,
  ) {}

  /** Its position; 0n if there is none. */
  async find(): Promise<Position> {
    const [last] = await this.server.readBack(undefined, 1, []);
    if (last === undefined) return 0n;
    const known = this.#known;
    if (known?.end === last.position) return known.head;
    const head = await this.#search(known);
    this.#known = { end: last.position, head };
    return head;
  }

  async #search(known: { readonly end: Position; readonly head: Position } | undefined): Promise<Position> {
    if (known === undefined) return this.#searchBackwards(SEARCH_WITHIN);
    try {
      return await this.#searchBackwards(SHORT);
    } catch {
      try {
        return (await this.#searchForwards(known.end)) ?? known.head;
      } catch (error) {
        // Others' events may have been scavenged.
        if (!(error instanceof NoEventThere)) throw error;
        return this.#searchBackwards(SEARCH_WITHIN);
      }
    }
  }

  async #searchBackwards(within: number): Promise<Position> {
    for (let before: Position | undefined; ;) {
      const events = await this.server.readBack(before, BACK, this.ours.prefixes, within);
      const last = events.find((event) => this.ours.classify(event).kind === 'ours');
      if (last !== undefined) return last.position;
      if (events.length < BACK) return 0n;
      before = events.at(-1)?.position;
    }
  }

  async #searchForwards(from: Position): Promise<Position | undefined> {
    let head: Position | undefined;
    for (let at = from; ;) {
      const events = await this.server.readAll(at, FORTH, this.ours.prefixes);
      for (const event of events) if (this.ours.classify(event).kind === 'ours') head = event.position;
      const last = events.at(-1);
      if (last === undefined || events.length < FORTH) return head;
      at = last.position;
    }
  }
}
