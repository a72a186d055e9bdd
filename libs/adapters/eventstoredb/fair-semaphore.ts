/** The groups of one owner, the group whose turn is next first, each with its waiting members. */
type Groups = Map<object, (() => void)[]>;

/** Who waits, by owner; whose turn is next is first. Owners take turns, and so do the groups of each. */
class Turns {
  readonly #owners = new Map<string, Groups>();

  add(owner: string, group: object, begin: () => void): void {
    const groups = this.#owners.get(owner) ?? (new Map() as Groups);
    const others = groups.get(group) ?? [];
    others.push(begin);
    groups.set(group, others);
    this.#owners.set(owner, groups);
  }

  /** Takes the next one out. */
  take(): (() => void) | undefined {
    const [first] = this.#owners;
    if (first === undefined) return undefined;
    const [owner, groups] = first;
    const next = takeFrom(groups);
    this.#owners.delete(owner);
    // The owner goes to the end, behind the others.
    if (groups.size > 0) this.#owners.set(owner, groups);
    return next;
  }
}

/** After so many short ones, a long one that waits has its turn. */
const SHORT_PER_LONG = 4;

/**
 * Limits how many work at the same time. Waiting owners take turns, and so do the groups of each: many members of one group delay
 * another group, and many groups of one owner delay another owner, by one turn, not by all of them. Members of long groups have
 * only some of the slots, and short ones pass them, but for one in five.
 */
export class FairSemaphore {
  readonly #short = new Turns();
  readonly #long = new Turns();
  #free: number;
  #longFree: number;
  /** How many short ones have begun since a long one. */
  #passed = 0;

  /** @param count of slots @param long how many of them members of long groups may have */
  constructor(count: number, long = count) {
    this.#free = count;
    this.#longFree = long;
  }

  /** Waits for a slot. @returns how to give it back, once */
  async take(owner: string, group: object, isLong = false): Promise<() => void> {
    await new Promise<void>((resolve) => {
      (isLong ? this.#long : this.#short).add(owner, group, resolve);
      this.#next();
    });
    return () => {
      this.#free += 1;
      if (isLong) this.#longFree += 1;
      this.#next();
    };
  }

  #next(): void {
    if (this.#free === 0) return;
    const isLongNext = this.#passed >= SHORT_PER_LONG && this.#longFree > 0;
    const next = (isLongNext ? this.#takeLong() : undefined) ?? this.#takeShort() ?? this.#takeLong();
    if (next === undefined) return;
    this.#free -= 1;
    next();
  }

  #takeShort(): (() => void) | undefined {
    const next = this.#short.take();
    if (next !== undefined) this.#passed += 1;
    return next;
  }

  #takeLong(): (() => void) | undefined {
    if (this.#longFree === 0) return undefined;
    const next = this.#long.take();
    if (next === undefined) return undefined;
    this.#passed = 0;
    this.#longFree -= 1;
    return next;
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
