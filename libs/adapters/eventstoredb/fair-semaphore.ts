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
/** After so many long ones without a short one between, none is expected soon: some 50 ms of work. */
const CALM_AFTER = 200;

/** How many slots there are. */
export interface Slots {
  readonly all: number;
  /** How many of them members of long groups may have. */
  readonly long: number;
  /** The same while short ones come: whoever comes next waits behind so few. */
  readonly longBesideShort: number;
}

/**
 * Limits how many work at the same time. Waiting owners take turns, and so do the groups of each: many members of one group delay
 * another group, and many groups of one owner delay another owner, by one turn, not by all of them. Members of long groups have
 * only some of the slots, and fewer while short ones come; short ones pass them, but for one in five.
 */
export class FairSemaphore {
  readonly #short = new Turns();
  readonly #long = new Turns();
  /** How many have begun and not given their slot back: all, and the long ones among them. */
  #begun = 0;
  #longBegun = 0;
  /** How many short ones have begun since a long one. */
  #passed = 0;
  /** How many long ones have begun since a short one. */
  #calm = CALM_AFTER;

  constructor(private readonly slots: Slots) {}

  /** Waits for a slot. @returns how to give it back, once */
  async take(owner: string, group: object, isLong = false): Promise<() => void> {
    await new Promise<void>((resolve) => {
      (isLong ? this.#long : this.#short).add(owner, group, resolve);
      this.#next();
    });
    return () => {
      this.#begun -= 1;
      if (isLong) this.#longBegun -= 1;
      this.#next();
    };
  }

  /** Lets all begin that may: a slot that comes back may be one of several that long ones may have again. */
  #next(): void {
    while (this.#begun < this.slots.all) {
      const isLongNext = this.#passed >= SHORT_PER_LONG;
      const next = (isLongNext ? this.#takeLong() : undefined) ?? this.#takeShort() ?? this.#takeLong();
      if (next === undefined) return;
      this.#begun += 1;
      next();
    }
  }

  #takeShort(): (() => void) | undefined {
    const next = this.#short.take();
    if (next === undefined) return undefined;
    this.#passed += 1;
    this.#calm = 0;
    return next;
  }

  #takeLong(): (() => void) | undefined {
    const { long, longBesideShort } = this.slots;
    if (this.#longBegun >= (this.#calm < CALM_AFTER ? longBesideShort : long)) return undefined;
    const next = this.#long.take();
    if (next === undefined) return undefined;
    this.#passed = 0;
    this.#calm += 1;
    this.#longBegun += 1;
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
