import type { Position, View } from '#kernel';
import { SECOND } from '#kernel';
import type { Generation } from './generation.js';
import type { LogExtent } from './log-extent.js';
import type { ViewStatus } from '../ports/report.js';

/** The generations of one view in the projector, the oldest first. */
export class ViewGenerations {
  #list: readonly Generation[];

  constructor(
    readonly view: View,
    list: readonly Generation[],
  ) {
    this.#list = list;
  }

  get list(): readonly Generation[] {
    return this.#list;
  }

  get live(): Generation | undefined {
    return this.#list.find((each) => each.live);
  }

  find(number: number): Generation | undefined {
    return this.#list.find((each) => each.number === number);
  }

  add(generation: Generation): void {
    this.#list = [...this.#list, generation];
  }

  remove(generation: Generation): void {
    this.#list = this.#list.filter((each) => each !== generation);
  }

  /** Makes this one, and no other, live. */
  nowLive(generation: Generation): void {
    for (const each of this.#list) {
      each.live = each === generation;
      each.awaited = false;
    }
  }

  status(extent: LogExtent, seen: Position): ViewStatus {
    const live = this.live;
    // Without a live one, show the one that the view waits for, unless an operator dropped it.
    const shown = live ?? this.#list.find((each) => each.awaited) ?? this.#list.at(-1);
    const position = shown?.feed.position ?? 0n;
    const time = shown?.feed.time ?? 0;
    const stopped = shown?.feed.stopped;
    const running = live === undefined ? 'building' : 'live';
    return {
      view: this.view.name,
      version: this.view.version,
      generation: live?.number ?? null,
      position,
      state: stopped === undefined ? running : 'stopped',
      lagEvents: extent.eventsAfter(position),
      // A generation that has seen nothing has no time to compare.
      lagSeconds: position >= extent.head || time === 0 ? 0 : Math.max(0, extent.headTime - time) / SECOND,
      error: stopped?.message ?? null,
      ...(shown?.feed.stoppedAt && { stoppedAt: shown.feed.stoppedAt }),
      generations: this.#list.map((each) => each.status(extent, seen)),
    };
  }
}
