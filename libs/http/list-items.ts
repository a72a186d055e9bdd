import { BoundedMap, ownBytes, type RowVersion, Slices, type Time } from '#eventsourcing';
import type { Instant, Position } from '#kernel';

/** A row that was read to be shown. `Size` is what it counts in a page. */
export interface ReadRow<Size> {
  readonly position: Position;
  readonly size: Size;
  /** The times at which the item changes by the clock alone. */
  readonly turns: readonly Instant[];
  /** Whether the item follows from this version of the row: if not, it is made again for the next page. */
  readonly isCertain: boolean;
  /** The item as answers show it. */
  readonly show: (slices: Slices) => object | Promise<object>;
}

/** What the items of a page are made from. */
export interface AskedItems<Size> {
  /** In the order of the page. */
  readonly rows: readonly RowVersion[];
  /** The time that the items show. */
  readonly now: Instant;
  /** Names what an item shows of a row. */
  readonly shape: string;
  /** Reads a row; undefined for one that the page leaves out. */
  readonly read: (key: string) => Promise<ReadRow<Size> | undefined>;
  /** Called with what each item counts, before the page is made. It may throw, and so refuse the page. */
  readonly take: (size: Size) => void;
  /** Called when it has counted all. It may throw, too. */
  readonly taken?: () => void;
}

/** The items of a page, and the times at which they are right. */
export interface MadeItems {
  /** As JSON, in the order of the page. */
  readonly items: readonly Buffer[];
  /** From this time on, as long as their rows stay the same. */
  readonly from: Instant;
  /** Before this time; never, if one of them is not certain. */
  readonly until: Instant;
}

/** An item as JSON. It is right for one version of its row, from one time until before another. */
interface Item<Size> {
  readonly json: Buffer;
  readonly position: Position;
  readonly size: Size;
  readonly from: Instant;
  readonly until: Instant;
}

/** The remembered items, until all of them are forgotten. */
type Memory<Size> = BoundedMap<string, Item<Size>>;

/** Rows that are read at once: a page that is too large is refused before many more of the largest are read. */
const TOGETHER = 10;
/** Bytes that an item costs beside its JSON and its name, about. */
const BESIDE = 300;
/** Shapes in each of the two generations of their memory. */
const SHAPES = 1_000;

/**
 * Remembers the items of lists as the bytes that answers show, so that a page costs little more than sending it. An item is
 * used while the list names the same version of its row, at times at which the clock shows the same of it. So the change of a
 * row costs that row alone. What the items show of anything else must be forgotten as a whole when that changes.
 */
export class ListItems<Size> {
  #memory: Memory<Size>;
  /** Short names of the shapes, which callers may choose. A name is never used for another shape. */
  readonly #names = new BoundedMap<string, string>(SHAPES);
  #named = 0;

  /** @param bytes that the items in each of the two generations of the memory have together, about */
  constructor(
    private readonly time: Pick<Time, 'monotonic' | 'turn'>,
    private readonly bytes: number,
  ) {
    this.#memory = this.#blank();
  }

  /** Forgets all items, also those that are being made. */
  forget(): void {
    this.#memory = this.#blank();
  }

  /** The items of a page, as JSON, in slices. What `take` or `taken` throws refuses the page before an item is made. */
  async of(asked: AskedItems<Size>): Promise<MadeItems> {
    const { rows, now, shape, take } = asked;
    // An item that is made during a change goes into the old memory, which nobody reads any more.
    const memory = this.#memory;
    const name = this.#nameOf(shape);
    const items = new Array<Buffer | undefined>(rows.length);
    const missing: number[] = [];
    let from = -Infinity;
    let until = Infinity;
    const takeSpan = (span: Pick<MadeItems, 'from' | 'until'>): void => {
      from = Math.max(from, span.from);
      until = Math.min(until, span.until);
    };
    for (const [nth, { key, position }] of rows.entries()) {
      const item = memory.get(`${name}${key}`);
      if (item?.position === position && item.from <= now && now < item.until) {
        take(item.size);
        takeSpan(item);
        items[nth] = item.json;
      } else {
        missing.push(nth);
      }
    }
    const slices = new Slices(this.time);
    const read = missing.length === 0 ? [] : await readAll(missing, asked, slices);
    asked.taken?.();
    if (missing.length === 0) return { items: items as Buffer[], from, until };
    for (const { nth, row } of read) {
      if (slices.isOver) await slices.next();
      const json = ownBytes(JSON.stringify(await row.show(slices)));
      items[nth] = json;
      const span = row.isCertain ? spanAround(row.turns, now) : { from: now, until: now };
      takeSpan(span);
      if (!row.isCertain) continue;
      const { position, size } = row;
      memory.set(`${name}${rows[nth]?.key ?? ''}`, { json, position, size, ...span });
    }
    const made = items.filter((item) => item !== undefined);
    // A row that was left out may be there for the next page.
    return { items: made, from, until: made.length < rows.length ? now : until };
  }

  #nameOf(shape: string): string {
    const known = this.#names.get(shape);
    if (known !== undefined) return known;
    // Keys of rows begin after the first blank.
    const name = `${(this.#named += 1)} `;
    this.#names.set(shape, name);
    return name;
  }

  #blank(): Memory<Size> {
    return new BoundedMap(this.bytes, ({ json }, key) => json.length + key.length + BESIDE);
  }
}

async function readAll<Size>(
  missing: readonly number[],
  { rows, read, take }: AskedItems<Size>,
  slices: Slices,
): Promise<readonly { readonly nth: number; readonly row: ReadRow<Size> }[]> {
  const all: { readonly nth: number; readonly row: ReadRow<Size> }[] = [];
  for (let from = 0; from < missing.length; from += TOGETHER) {
    if (slices.isOver) await slices.next();
    const some = missing.slice(from, from + TOGETHER);
    const found = await Promise.all(some.map((nth) => read(rows[nth]?.key ?? '')));
    for (const [index, row] of found.entries()) {
      if (row === undefined) continue;
      take(row.size);
      all.push({ nth: some[index] ?? 0, row });
    }
  }
  return all;
}

/** The times around `now` between which the clock passes none of these. */
function spanAround(turns: readonly Instant[], now: Instant): { readonly from: Instant; readonly until: Instant } {
  let from = -Infinity;
  let until = Infinity;
  for (const turn of turns) {
    if (turn <= now) from = Math.max(from, turn);
    else until = Math.min(until, turn);
  }
  return { from, until };
}
