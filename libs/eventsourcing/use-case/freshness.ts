import type { Position } from '#kernel';
import { PATIENCE } from '#kernel/bounds';
import { BoundedMap } from '../caches/bounded-map.js';
import { timeLeft } from '../scheduling/call-deadline.js';
import { Unavailable } from '../errors.js';
import type { Time } from '../ports/time.js';

interface Waiting {
  readonly view: string;
  readonly position: Position;
  readonly resolve: () => void;
}

/** The log's follower, as an entry among the views; no view has this name. */
const LOG = { name: 'the log' };

/** Knows how far each view has come, and lets readers wait for their writes. */
export class Freshness {
  /** Called when a reader begins to wait for a view, so that a process that polls can look immediately. */
  onWait: () => void = () => undefined;
  #follows = false;
  readonly #positions = new Map<string, Position>();
  readonly #written = new BoundedMap<string, Position>(10_000);
  #writtenForAll: Position = 0n;
  #farthest: Position = 0n;
  #waiting: Waiting[] = [];

  constructor(private readonly time: Time) {}

  /** Whether a reader waits for a view now. */
  get isAwaited(): boolean {
    return this.#waiting.some(({ view }) => view !== LOG.name);
  }

  /** Notes that views have come to these positions. */
  reached(views: Iterable<{ readonly view: string; readonly position: Position }>): void {
    for (const { view, position } of views) {
      this.#positions.set(view, position);
      this.#saw(position);
    }
    const waiting = this.#waiting;
    this.#waiting = waiting.filter((each) => !this.#has(each.view, each.position));
    for (const each of waiting) if (this.#has(each.view, each.position)) each.resolve();
  }

  /** Notes that the follower of a shared log has delivered every event up to here. */
  followedTo(position: Position): void {
    this.#follows = true;
    this.reached([{ view: LOG.name, position }]);
  }

  /** Up to where this process has followed a shared log; undefined if it follows none. */
  get followed(): Position | undefined {
    return this.#follows ? this.#positions.get(LOG.name) : undefined;
  }

  /** Whether a view of this process, its log follower or one of its writes has reached this position. */
  knows(position: Position): boolean {
    return position <= this.#farthest;
  }

  /**
   * Waits until this process has followed the log up to `position`, which another process may have written.
   * @throws Unavailable after two seconds
   */
  async untilFollowed(position: Position): Promise<void> {
    if (this.#follows) await this.until([LOG], position);
  }

  /** Notes that a partner, given by id, has written up to here through this process. */
  wrote(partner: string, position: Position): void {
    if (position > (this.#written.get(partner) ?? 0n)) this.#written.set(partner, position);
    this.#saw(position);
  }

  /** Notes that an operator has written up to here through this process. Everyone's reads wait for operators' changes. */
  operatorWrote(position: Position): void {
    if (position > this.#writtenForAll) this.#writtenForAll = position;
    this.#saw(position);
  }

  /** The last position that this partner or any operator wrote through this process; 0n if there is none. */
  lastFor(partner: string | undefined): Position {
    const own = partner === undefined ? 0n : (this.#written.get(partner) ?? 0n);
    return own > this.#writtenForAll ? own : this.#writtenForAll;
  }

  /**
   * Waits until the views have seen everything up to `position`.
   * @throws Unavailable after two seconds, naming the view and the lag
   */
  async until(views: readonly { readonly name: string }[], position: Position): Promise<void> {
    const behind = views.filter(({ name }) => !this.#has(name, position));
    if (behind.length === 0) return;
    // All wait at the same time, because the two seconds are for all of them together.
    const waiting = Promise.all(
      behind.map(async ({ name }) => {
        if (await this.#reach(name, position)) return;
        const subject = name === LOG.name ? name : `the view ${name}`;
        const reached = this.#positions.get(name);
        throw new Unavailable(
          reached === undefined
            ? `${subject} cannot be read yet`
            : `${subject} is ${position - reached} positions behind what was written`,
        );
      }),
    );
    if (this.isAwaited) this.onWait();
    await waiting;
  }

  /** Whether a view has come to a position: every read of it that begins now sees what was written up to there. */
  has({ name }: { readonly name: string }, position: Position): boolean {
    return this.#has(name, position);
  }

  /** Up to where all of these views have seen every event, as this process knows; 0n if one of them cannot be read yet. */
  reachedBy(views: readonly { readonly name: string }[]): Position {
    let lowest: Position | undefined;
    for (const { name } of views) {
      const position = this.#positions.get(name) ?? 0n;
      if (lowest === undefined || position < lowest) lowest = position;
    }
    return lowest ?? 0n;
  }

  #saw(position: Position): void {
    if (position > this.#farthest) this.#farthest = position;
  }

  #has(view: string, position: Position): boolean {
    return (this.#positions.get(view) ?? -1n) >= position;
  }

  #reach(view: string, position: Position): Promise<boolean> {
    return new Promise((resolve) => {
      const waiting: Waiting = {
        view,
        position,
        resolve: () => {
          this.time.cancel(timer);
          resolve(true);
        },
      };
      const timer = this.time.after(timeLeft(PATIENCE.ownWrites), () => {
        this.#waiting = this.#waiting.filter((each) => each !== waiting);
        resolve(false);
      });
      this.#waiting.push(waiting);
    });
  }
}
