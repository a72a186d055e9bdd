import { codec } from '#platform/model';
import type { Recorded, View } from '#kernel';
import type { GenerationData, ViewsData } from '../world/view-data.js';
import { foldInto, type Row } from './naive-views.js';
import { Violation } from './violation.js';

interface Folded {
  readonly rows: Map<string, Row>;
  /** How many events of the log are folded. */
  count: number;
}

/**
 * Every live view is, at every moment, the fold of the log up to its checkpoint, however often it was rebuilt, promoted or lost.
 * A store whose rows come before their checkpoint may have newer ones.
 */
export class LiveViews {
  readonly #folded = new Map<string, Folded>();

  constructor(
    private readonly views: ViewsData,
    private readonly log: { readonly events: readonly Recorded[] },
    private readonly all: readonly View[],
  ) {}

  /** @throws Violation */
  check(): void {
    for (const view of this.all) this.#check(view);
  }

  /** A live generation of this log is dropped. @throws Violation: it was right, and nothing has taken its place */
  dropped({ view, number, stored: { checkpoint } }: GenerationData): void {
    const { position = 0n, event } = checkpoint ?? {};
    const isOfLog = this.log.events.some((each) => each.position === position && each.id === event);
    if (position > 0n && isOfLog)
      throw new Violation('no right view is thrown away', `view ${view.name}`, `generation ${number} at ${position}`);
  }

  #check(view: View): void {
    const stored = this.views.liveOf(view)?.stored;
    const position = stored?.checkpoint?.position;
    if (stored === undefined || position === undefined) return;
    const folded = this.#follow(view, position);
    // A generation that stands further back than the one before it is compared when it has caught up.
    if (folded === undefined) return;
    const wrong = (key: string, found: string, expected: string): Violation =>
      new Violation(
        'a live view is the fold of the log up to its checkpoint',
        `view ${view.name}, checkpoint ${position}, row ${key}`,
        `${found}; expected ${expected}`,
      );
    for (const [key, { row, position: at }] of folded.rows) {
      const found = stored.rows.get(key);
      if ((found?.position ?? stored.removed.get(key) ?? 0n) > position) continue;
      const expected = `${at} ${JSON.stringify(row)}`;
      const there = found === undefined ? 'no row' : `${found.position} ${found.text}`;
      if (there !== expected) throw wrong(key, there, expected);
    }
    for (const [key, found] of stored.rows)
      if (found.position <= position && !folded.rows.has(key)) throw wrong(key, found.text, 'no row');
  }

  #follow(view: View, position: bigint): Folded | undefined {
    const folded = this.#folded.get(view.name) ?? { rows: new Map<string, Row>(), count: 0 };
    this.#folded.set(view.name, folded);
    const { events } = this.log;
    if (folded.count > 0 && (events[folded.count - 1]?.position ?? 0n) > position) return undefined;
    for (
      let event = events[folded.count];
      event !== undefined && event.position <= position;
      event = events[folded.count]
    ) {
      folded.count += 1;
      if (view.types.has(event.type) && codec.knows(event.type)) foldInto(folded.rows, view, codec.decode(event));
    }
    return folded;
  }
}
