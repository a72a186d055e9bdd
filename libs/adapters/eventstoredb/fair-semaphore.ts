/**
 * Limits how many work at the same time. Waiting groups take turns: many members of one group delay another group by one
 * turn, not by all of them.
 */
export class FairSemaphore {
  readonly #waiting = new Map<object, (() => void)[]>();
  #free: number;

  constructor(count: number) {
    this.#free = count;
  }

  /** Waits for a slot. @returns how to give it back, once */
  async take(group: object): Promise<() => void> {
    if (this.#free > 0) this.#free -= 1;
    else await this.#turn(group);
    return () => this.#next();
  }

  #turn(group: object): Promise<void> {
    return new Promise((resolve) => {
      const others = this.#waiting.get(group);
      if (others === undefined) this.#waiting.set(group, [resolve]);
      else others.push(resolve);
    });
  }

  #next(): void {
    const [first] = this.#waiting;
    if (first === undefined) {
      this.#free += 1;
      return;
    }
    const [group, waiting] = first;
    const next = waiting.shift();
    this.#waiting.delete(group);
    // The group goes to the end, behind the others.
    if (waiting.length > 0) this.#waiting.set(group, waiting);
    next?.();
  }
}
