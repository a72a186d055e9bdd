import {
  BoundedMap,
  ownBytes,
  type Reader,
  type RowVersion,
  Slices,
  type StoredRow,
  type Time,
  type ViewChanges,
} from '#eventsourcing';
import type { Instant, Position } from '#kernel';
import type { CacheStats } from './page-memory.js';
import { type Finders, type ShownViews, viewsOf } from './shown-views.js';

/** What is needed to show a row. `Size` is what it counts in a page. */
export interface ReadItem<Size> {
  readonly size: Size;
  /** The position of the last event of what it shows along with its row; absent if it shows nothing else. */
  readonly newest?: Position;
  /** The times at which the item changes by the clock alone. */
  readonly turns: readonly Instant[];
  /** The item as answers show it. */
  readonly show: (slices: Slices) => object | Promise<object>;
}

/** What the items of a page are made from. */
export interface AskedItems<Size, Row extends object, Shown extends Finders> {
  /** In the order of the page. One that was read already is not read again. */
  readonly rows: readonly (RowVersion | StoredRow<Row>)[];
  /** The time that the items show. */
  readonly now: Instant;
  /** Names what an item shows of a row. */
  readonly shape: string;
  /** Reads what the item of a row shows besides, with the finders of its views; undefined if the page leaves it out. */
  readonly read: (
    stored: StoredRow<Row>,
    shown: Shown,
  ) => ReadItem<Size> | undefined | Promise<ReadItem<Size> | undefined>;
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

/** An item that is to be made. It is certain if it follows from this version of its row: if not, the next page makes it again. */
interface ToMake<Size> extends ReadItem<Size> {
  readonly nth: number;
  readonly position: Position;
  readonly isCertain: boolean;
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
 * row costs that row alone. The change of a view that they show besides forgets all, and so does another live generation of any
 * of their views.
 */
export class ListItems<Size, Row extends object, Along extends Finders, Besides extends Finders> {
  readonly stats: CacheStats = { asked: 0, made: 0 };
  #memory: Memory<Size>;
  /** Short names of the shapes, which callers may choose. A name is never used for another shape. */
  readonly #names = new BoundedMap<string, string>(SHAPES);
  #named = 0;

  /** @param bytes that the items in each of the two generations of the memory have together, about */
  constructor(
    private readonly parts: { readonly reader: Reader; readonly time: Time; readonly changes: ViewChanges },
    readonly shows: ShownViews<Row, Along, Besides>,
    private readonly bytes: number,
  ) {
    this.#memory = this.#blank();
    const { changes } = parts;
    // Also those that are being made.
    const forget = (): void => void (this.#memory = this.#blank());
    for (const { view } of Object.values(shows.besides)) changes.subscribe(view, forget);
    // Another generation may have other rows with the same positions.
    for (const view of viewsOf(shows)) changes.whenReplaced(view, forget);
  }

  /** The items of a page, as JSON, in slices. What `take` or `taken` throws refuses the page before an item is made. */
  async of(asked: AskedItems<Size, Row, Along & Besides>): Promise<MadeItems> {
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
    this.stats.asked += rows.length;
    this.stats.made += missing.length;
    const slices = new Slices(this.parts.time);
    const toMake = missing.length === 0 ? [] : await this.#readAll(missing, asked, slices);
    asked.taken?.();
    if (missing.length === 0) return { items: items as Buffer[], from, until };
    for (const { nth, position, isCertain, size, turns, show } of toMake) {
      if (slices.isOver) await slices.next();
      const json = ownBytes(JSON.stringify(await show(slices)));
      items[nth] = json;
      const span = isCertain ? spanAround(turns, now) : { from: now, until: now };
      takeSpan(span);
      if (!isCertain) continue;
      memory.set(`${name}${rows[nth]?.key ?? ''}`, { json, position, size, ...span });
    }
    const made = items.filter((item) => item !== undefined);
    // A row that was left out may be there for the next page.
    return { items: made, from, until: made.length < rows.length ? now : until };
  }

  async #readAll(
    missing: readonly number[],
    asked: AskedItems<Size, Row, Along & Besides>,
    slices: Slices,
  ): Promise<readonly ToMake<Size>[]> {
    const all: ToMake<Size>[] = [];
    for (let from = 0; from < missing.length; from += TOGETHER) {
      if (slices.isOver) await slices.next();
      const some = missing.slice(from, from + TOGETHER);
      for (const item of await Promise.all(some.map((nth) => this.#read(nth, asked)))) {
        if (item === undefined) continue;
        asked.take(item.size);
        all.push(item);
      }
    }
    return all;
  }

  async #read(nth: number, asked: AskedItems<Size, Row, Along & Besides>): Promise<ToMake<Size> | undefined> {
    const { reader } = this.parts;
    const { rows, along, besides } = this.shows;
    const version = asked.rows[nth];
    const stored = version === undefined || 'row' in version ? version : await reader.of(rows).get(version.key);
    if (stored === undefined) return undefined;
    const { position } = stored;
    // The view of the rows may be ahead of the others, and then what they have may be older than the row.
    const isThere = Object.values(along).every(({ view }) => reader.has(view, position));
    const item = await asked.read(stored, { ...along, ...besides });
    // They may be ahead of the row, too.
    return item && { ...item, nth, position, isCertain: isThere && (item.newest ?? 0n) <= position };
  }

  /** Forgets everything: what answers show besides rows has changed. What is being made is not remembered. */
  forget(): void {
    this.#memory = this.#blank();
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
