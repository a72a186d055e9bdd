/** The groups of one owner, the group whose turn is next first, each with its waiting members. */
type Groups = Map<object, (() => void)[]>;

/**
 * Limits how many work at the same time. Waiting owners take turns, and so do the groups of each: many members of one group delay
 * another group, and many groups of one owner delay another owner, by one turn, not by all of them.
 */
export class FairSemaphore {
  /** By owner; whose turn is next is first. */
  readonly #waiting = new Map<string, Groups>();
  #free: number;

  constructor(count: number) {
    this.#free = count;
  }

  /** Waits for a slot. @returns how to give it back, once */
  async take(owner: string, group: object): Promise<() => void> {
    if (this.#free > 0) this.#free -= 1;
    else await this.#turn(owner, group);
    return () => this.#next();
  }

  #turn(owner: string, group: object): Promise<void> {
    return new Promise((resolve) => {
      const groups = this.#waiting.get(owner) ?? (new Map() as Groups);
      const others = groups.get(group) ?? [];
      others.push(resolve);
      groups.set(group, others);
      this.#waiting.set(owner, groups);
    });
  }

  #next(): void {
    const [first] = this.#waiting;
    if (first === undefined) {
      this.#free += 1;
      return;
    }
    const [owner, groups] = first;
    const next = takeFrom(groups);
    this.#waiting.delete(owner);
    // The owner goes to the end, behind the others.
    if (groups.size > 0) this.#waiting.set(owner, groups);
    next?.();
  }
}

/** Takes the next member of the group whose turn it is; the group goes to the end. */
function takeFrom(groups: Groups): (() => void) | undefined {
  const [first] = groups;
  if (first === undefined) return undefined;
  const [group, waiting] = first;
  const next = waiting.shift();
  groups.delete(group);
  if (waiting.length > 0) groups.set(group, waiting);
  return next;
}
