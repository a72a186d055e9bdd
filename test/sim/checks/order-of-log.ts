import { causationOf, type Recorded } from '#kernel';
import { placeOf, Violation } from './violation.js';

/** Every event in its place: revisions without gaps, ids used once, causes that exist, followers at their decision's time. */
export class OrderOfLog {
  readonly #next = new Map<string, number>();
  readonly #ids = new Set<string>();
  readonly #times = new Map<string, number>();
  #last = 0n;

  /** @throws Violation */
  check(event: Recorded): void {
    const { stream, revision, position, id, metadata } = event;
    const where = placeOf(event);
    if (position <= this.#last) throw new Violation('positions grow', where, `the last one was ${this.#last}`);
    this.#last = position;
    const next = this.#next.get(stream) ?? 0;
    if (revision !== next) throw new Violation('revisions have no gaps', where, `expected ${next}`);
    this.#next.set(stream, next + 1);
    if (this.#ids.has(id)) throw new Violation('event ids are unique', where, id);
    this.#ids.add(id);
    const { causation, time } = metadata;
    this.#times.set(causationOf(event), time);
    if (causation === null) return;
    const caused = this.#times.get(causation);
    if (caused === undefined) throw new Violation('causes exist', where, `its cause ${causation} does not`);
    // An event caused by an earlier event of its own stream is a decision, with an instant of its own.
    if (!causation.startsWith(`${stream}@`) && caused !== time)
      throw new Violation(
        'followers have the time of their decision',
        where,
        `${time}, and ${causation} has ${caused}`,
      );
  }
}
