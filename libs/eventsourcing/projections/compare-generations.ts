import type { Position } from '#kernel';
import type { GenerationRows, RowText } from '../ports/generation-rows.js';
import type { Time } from '../ports/time.js';
import { Slices } from '../scheduling/slices.js';
import { differencesOf, type FieldDifference } from './row-difference.js';

/** Rows of each generation that are read at once. */
const PAGE = 500;
/** Keys of each kind that are told. */
const SAMPLES = 10;
/** Fields of a changed row that are told. */
const FIELDS = 20;
/** Rows that may be written just now and are looked at again in the end; any more count as they were read. */
const MOST_UNCERTAIN = 10_000;
/** How often, and after how many milliseconds each time. */
const LOOKS = 3;
const PAUSE = 100;

/** A row that both generations have, with different contents. */
export interface ChangedRow {
  readonly key: string;
  readonly fields: readonly FieldDifference[];
}

/** In what a generation differs from the live one (ruling G6.1). */
export interface Compared {
  /** Rows of both together, each key once. */
  readonly rows: number;
  readonly added: number;
  readonly removed: number;
  readonly changed: number;
  /** The first ones by key. */
  readonly samples: {
    readonly added: readonly string[];
    readonly removed: readonly string[];
    readonly changed: readonly ChangedRow[];
  };
}

/** The rows of one key; at least one generation has it. */
interface Pair {
  readonly key: string;
  readonly live: RowText | undefined;
  readonly other: RowText | undefined;
}

/**
 * Compares the rows of a generation with those of the live one by merging both in the order of their keys. It holds a page of each.
 * Both may be fed meanwhile, one a moment before the other: a row that was written since the beginning is looked at again in the end.
 */
export class GenerationComparison {
  #rows = 0;
  #size = 0;
  readonly #counts = { added: 0, removed: 0, changed: 0 };
  readonly #samples: { added: string[]; removed: string[]; changed: ChangedRow[] } = {
    added: [],
    removed: [],
    changed: [],
  };
  readonly #uncertain: string[] = [];
  readonly #slices: Slices;

  constructor(
    private readonly live: GenerationRows,
    private readonly other: GenerationRows,
    private readonly time: Time,
  ) {
    this.#slices = new Slices(time);
  }

  /** How many rows it has compared, and about how many there are. */
  get progress(): { readonly rows: number; readonly of: number } {
    return { rows: this.#rows, of: Math.max(this.#size, this.#rows) };
  }

  /**
   * @param signal ends it early
   * @throws ViewNotReady; Unavailable; the reason of the signal
   */
  async run(signal: AbortSignal): Promise<Compared> {
    const { live, other } = this;
    const [first, second] = await Promise.all([live.position(), other.position()]);
    const start = first < second ? first : second;
    const sizes = await Promise.all([live.size(), other.size()]);
    this.#size = Math.max(...sizes);
    for await (const pairs of this.#pages(signal)) {
      const isStill = await this.#isAt(first, second);
      for (const pair of pairs) this.#take(pair, isStill, start);
    }
    await this.#lookAgain(signal);
    return { rows: this.#rows, ...this.#counts, samples: this.#samples };
  }

  /** Whether neither generation has taken an event since the beginning: then each difference is one. */
  async #isAt(live: Position, other: Position): Promise<boolean> {
    return (await this.live.position()) === live && (await this.other.position()) === other;
  }

  /** The rows of both by their keys, some at a time. */
  async *#pages(signal: AbortSignal): AsyncGenerator<readonly Pair[]> {
    const sides = [new Side(this.live), new Side(this.other)] as const;
    const [live, other] = sides;
    for (;;) {
      signal.throwIfAborted();
      if (this.#slices.isOver) await this.#slices.next();
      await Promise.all(sides.map((side) => side.fill()));
      if (live.head === undefined && other.head === undefined) return;
      const pairs: Pair[] = [];
      // Until one of them needs its next page.
      while (live.isFull && other.isFull && (live.head ?? other.head) !== undefined) pairs.push(nextOf(live, other));
      yield pairs;
    }
  }

  #take({ key, live, other }: Pair, isStill: boolean, start: Position): void {
    this.#rows += 1;
    if (live?.text === other?.text) return;
    const isCertain =
      isStill || (live !== undefined && other !== undefined && isOld(live, start) && isOld(other, start));
    if (isCertain || this.#uncertain.length >= MOST_UNCERTAIN) this.#count({ key, live, other });
    else this.#uncertain.push(key);
  }

  #count({ key, live, other }: Pair): void {
    if (live === undefined) this.#note('added', key);
    else if (other === undefined) this.#note('removed', key);
    else {
      const fields = differencesOf(live.text, other.text, FIELDS);
      if (fields.length === 0) return;
      this.#counts.changed += 1;
      if (this.#samples.changed.length < SAMPLES) this.#samples.changed.push({ key, fields });
    }
  }

  #note(kind: 'added' | 'removed', key: string): void {
    this.#counts[kind] += 1;
    if (this.#samples[kind].length < SAMPLES) this.#samples[kind].push(key);
  }

  /** Reads what may have been written just now again, until both agree or have had time enough. */
  async #lookAgain(signal: AbortSignal): Promise<void> {
    let keys: readonly string[] = this.#uncertain;
    for (let look = 1; look <= LOOKS && keys.length > 0; look += 1) {
      await this.time.pause(PAUSE, { signal });
      const differ: Pair[] = [];
      for (let at = 0; at < keys.length; at += PAGE) {
        if (this.#slices.isOver) await this.#slices.next();
        differ.push(...(await this.#differing(keys.slice(at, at + PAGE))));
        if (look === LOOKS) for (const pair of differ.splice(0)) this.#count(pair);
      }
      keys = differ.map(({ key }) => key);
    }
  }

  async #differing(keys: readonly string[]): Promise<readonly Pair[]> {
    const [live, other] = await Promise.all([this.live.withKeys(keys), this.other.withKeys(keys)]);
    const [ofLive, ofOther] = [byKey(live), byKey(other)];
    return keys
      .map((key) => ({ key, live: ofLive.get(key), other: ofOther.get(key) }))
      .filter((pair) => pair.live?.text !== pair.other?.text);
  }
}

/** The rows of one generation, page by page. */
class Side {
  #page: readonly RowText[] = [];
  #at = 0;
  #isEnded = false;

  constructor(private readonly rows: GenerationRows) {}

  /** The next row; undefined after the last one. */
  get head(): RowText | undefined {
    return this.#page[this.#at];
  }

  /** Whether `head` is right without another page. */
  get isFull(): boolean {
    return this.#at < this.#page.length || this.#isEnded;
  }

  async fill(): Promise<void> {
    if (this.isFull) return;
    this.#page = await this.rows.after(this.#page.at(-1)?.key, PAGE);
    this.#at = 0;
    this.#isEnded = this.#page.length === 0;
  }

  take(): RowText | undefined {
    const row = this.head;
    this.#at += 1;
    return row;
  }
}

function nextOf(live: Side, other: Side): Pair {
  const order = orderOf(live.head, other.head);
  const ofLive = order <= 0 ? live.take() : undefined;
  const ofOther = order >= 0 ? other.take() : undefined;
  return { key: (ofLive ?? ofOther)?.key ?? '', live: ofLive, other: ofOther };
}

/** Below 0 if the first row comes first; a row before none. */
function orderOf(one: RowText | undefined, other: RowText | undefined): number {
  if (one === undefined) return 1;
  if (other === undefined) return -1;
  return one.key === other.key ? 0 : Buffer.compare(Buffer.from(one.key), Buffer.from(other.key));
}

const isOld = ({ position }: RowText, start: Position): boolean => position <= start;

function byKey(rows: readonly RowText[]): ReadonlyMap<string, RowText> {
  return new Map(rows.map((row) => [row.key, row]));
}
