/** A value, and where its entry waits. */
interface Entry<V> {
  readonly key: string;
  value: V;
  /** What the value weighed when it was set. */
  weight: number;
  /** When it was asked for last, and when it came into its line: by the cache's clock. */
  asked: number;
  came: number;
  line: Line<V>;
}

/** Entries in the order in which they came. */
class Line<V> {
  readonly #entries = new Set<Entry<V>>();
  /** Goes on where it was: a new one would pass all places that are empty by now. */
  #order = this.#entries.values();
  #first: Entry<V> | undefined;

  add(entry: Entry<V>, now: number): void {
    entry.came = now;
    entry.line = this;
    this.#entries.add(entry);
  }

  delete(entry: Entry<V>): void {
    this.#entries.delete(entry);
    if (entry === this.#first) this.#first = undefined;
  }

  /** The entry that came first; undefined if there is none. */
  get first(): Entry<V> | undefined {
    if (this.#entries.size === 0) return undefined;
    this.#first ??= this.#order.next().value;
    if (this.#first !== undefined) return this.#first;
    this.#order = this.#entries.values();
    return (this.#first = this.#order.next().value);
  }
}

/** Lines by the power of two that a weight is below. */
const SIZES = 53;
/** How many entries one step moves at most, so that no step takes long. */
const MOVED = 3;

/**
 * A cache of values that together weigh at most `most`. Those that were asked for lately stay: since others of an eighth of that
 * weight came, or later. Of the rest the largest leave first, and of about the same size those that nobody asked for the longest
 * time. A step takes the same short time, however many values there are.
 */
export class WeighedCache<V> {
  readonly #entries = new Map<string, Entry<V>>();
  readonly #lately = new Line<V>();
  readonly #idle = Array.from({ length: SIZES + 1 }, () => new Line<V>());
  #weight = 0;
  /** The weight of all that has come so far. */
  #clock = 0;

  /** @param weigh what a value weighs when it is set: a positive number */
  constructor(
    private readonly most: number,
    private readonly weigh: (value: V) => number,
  ) {}

  /** What all of them weigh together. */
  get weight(): number {
    return this.#weight;
  }

  /** All of them, in no order. Nobody counts as having asked for them. */
  *values(): Generator<V, void, void> {
    for (const { value } of this.#entries.values()) yield value;
  }

  get(key: string): V | undefined {
    const entry = this.#entries.get(key);
    if (entry !== undefined) this.#ask(entry);
    return entry?.value;
  }

  set(key: string, value: V): void {
    const weight = this.weigh(value);
    const known = this.#entries.get(key);
    if (known === undefined) {
      const entry = { key, value, weight, asked: this.#clock, came: this.#clock, line: this.#lately };
      this.#entries.set(key, entry);
      this.#lately.add(entry, this.#clock);
      this.#weight += weight;
      this.#clock += weight;
    } else {
      this.#weight += weight - known.weight;
      known.value = value;
      known.weight = weight;
      this.#ask(known);
    }
    this.#settle();
  }

  delete(key: string): void {
    const entry = this.#entries.get(key);
    if (entry !== undefined) this.#drop(entry);
  }

  clear(): void {
    for (const entry of this.#entries.values()) this.#drop(entry);
  }

  #ask(entry: Entry<V>): void {
    entry.asked = this.#clock;
    if (entry.line === this.#lately) return;
    this.#clock += entry.weight;
    this.#move(entry, this.#lately);
  }

  /** Finds out who was not asked for lately, and makes room. */
  #settle(): void {
    const since = this.#clock - this.most / 8;
    for (let moved = 0; moved < MOVED; moved += 1) {
      const { first } = this.#lately;
      if (first === undefined || first.came > since) break;
      this.#move(first, first.asked > since ? this.#lately : this.#idleOf(first));
    }
    while (this.#weight > this.most) {
      const entry = this.#idle.findLast((line) => line.first !== undefined)?.first ?? this.#lately.first;
      if (entry === undefined) return;
      this.#drop(entry);
    }
  }

  #idleOf({ weight }: Entry<V>): Line<V> {
    return this.#idle[Math.min(SIZES, Math.ceil(Math.log2(weight + 1)))] ?? this.#lately;
  }

  #move(entry: Entry<V>, to: Line<V>): void {
    entry.line.delete(entry);
    to.add(entry, this.#clock);
  }

  #drop(entry: Entry<V>): void {
    entry.line.delete(entry);
    this.#entries.delete(entry.key);
    this.#weight -= entry.weight;
  }
}
