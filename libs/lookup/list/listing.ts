import {
  type Clock,
  eq,
  type Found,
  type Keyring,
  oneOf,
  type PageEnd,
  type PersonalData,
  type Reader,
  search,
  type Search,
  Slices,
  type Time,
  type Where,
} from '#eventsourcing';
import { ValidationFailed } from '#http';
import { DAY, type Instant } from '#kernel';
import { EXAMINED_FOR_PAGE } from '#kernel/bounds';
import { isIndexed, type Cell, type LookUpList } from './list.js';
import type { AskedPart } from './list.schema.js';

/** An item of a list, by the names of its columns. */
export type Item = Readonly<Record<string, Cell>>;

/** A page of a list. */
export interface Page {
  readonly items: readonly Item[];
  /** How many rows were looked at. */
  readonly examined: number;
  readonly next: PageEnd | undefined;
}

/** A caller's wishes: the parameters of a list, as its schema has read them. */
export type Asked = AskedPart & Readonly<Record<string, unknown>>;

/** Finds and shows the items of lists, as new as the log. */
export class Listing {
  constructor(
    private readonly parts: {
      readonly reader: Reader;
      readonly keyring: Keyring;
      readonly personalData: PersonalData;
      readonly clock: Pick<Clock, 'now'>;
      readonly time: Pick<Time, 'monotonic' | 'turn'>;
    },
  ) {}

  /**
   * Resolves when the list shows everything that the log has now.
   * @throws ValidationFailed if it is asked about what does not exist, such as a partner whose name is misspelt
   */
  async begin({ name, view, filters }: LookUpList, asked: Asked): Promise<void> {
    const { reader, keyring } = this.parts;
    const known = Object.entries(filters).filter(
      ([filter, of]) => of.known !== undefined && asked[filter] !== undefined,
    );
    const views = known.flatMap(([, of]) => (of.known === undefined ? [] : [of.known.view]));
    await reader.until([view, ...views], await reader.end());
    for (const [field, { values, known: of }] of known) {
      if (of === undefined) continue;
      const keys = (values?.(asked[field] as never, keyring) ?? [asked[field]]) as readonly string[];
      const found = await Promise.all(keys.map((key) => reader.of(of.view).get(key)));
      if (found.every((row) => row === undefined))
        throw new ValidationFailed([{ type: 'invalid', message: of.otherwise, field, resource: name }]);
    }
  }

  /** The page after `asked.after`. */
  async page(list: LookUpList, asked: Asked, limit: number): Promise<Page> {
    const { keyring, clock } = this.parts;
    const bounds = { find: limit, examine: Math.max(limit, EXAMINED_FOR_PAGE) };
    return this.#shown(
      list,
      await search(this.parts.reader, searchOf(list, asked, keyring, clock.now()), asked.after, bounds),
    );
  }

  /** All pages, one after another; other calls have their turn between them. @param left ends it early */
  async *pages(list: LookUpList, asked: Asked, left: AbortSignal): AsyncGenerator<Page> {
    const slices = new Slices(this.parts.time);
    for (let after = asked.after; !left.aborted;) {
      const page = await this.page(list, { ...asked, after }, 100);
      yield page;
      if (page.next === undefined) return;
      after = page.next;
      if (slices.isOver) await slices.next();
    }
  }

  async #shown({ present }: LookUpList, { rows, examined, next }: Found<object>): Promise<Page> {
    const { keyring, personalData, clock } = this.parts;
    const presenting = { keyring, personalData, now: clock.now() };
    const items: Item[] = [];
    for (const { row } of rows) items.push(await present(row, presenting));
    return { items, examined, next };
  }
}

/** The search for what is asked: an index answers one filter, and each row is tested for the others. */
export function searchOf(list: LookUpList, asked: Asked, keyring: Keyring, now: Instant): Search<object, string> {
  const { view, sort, only, filters } = list;
  const given = Object.entries(filters).filter(([name]) => asked[name] !== undefined);
  const isIndex = ([, { field }]: (typeof given)[number]): boolean => field !== undefined && isIndexed(list, field);
  const isOften = ([name, { often }]: (typeof given)[number]): boolean =>
    often?.includes(asked[name] as never) === true;
  const indexed = only === undefined ? given.filter(isIndex) : [];
  const leader = indexed.find((each) => !isOften(each)) ?? indexed[0];
  const led: Where[] = only === undefined ? [] : [eq(only.field, only.value)];
  const tests: ((row: object) => boolean)[] = [];
  for (const [name, filter] of given) {
    const value = asked[name] as never;
    const { field, fits } = filter;
    if (field !== undefined) {
      const values = filter.values?.(value, keyring) ?? [value];
      if (name === leader?.[0]) led.push(oneOf(field, values));
      else tests.push(hasOneOf(view, field, values));
    }
    if (fits !== undefined) tests.push((row) => fits(row, value, now));
  }
  const { from, to } = timesOf(asked);
  return {
    view,
    where: led,
    from: from ?? (sort.by === 'time' ? 0 : ''),
    to,
    sort,
    value: (row) => valueIn(view, sort.field, row) as number | string,
    fits: tests.length === 0 ? undefined : (row) => tests.every((test) => test(row)),
  };
}

/** The times that a list is about; a day is one of UTC. */
function timesOf({ from, to, day }: Asked): { readonly from: Instant | undefined; readonly to: Instant | undefined } {
  if (day === undefined) return { from, to };
  const begin = Date.parse(day);
  return { from: Math.max(begin, from ?? 0), to: Math.min(begin + DAY - 1, to ?? Infinity) };
}

function hasOneOf(view: LookUpList['view'], field: string, values: readonly unknown[]): (row: object) => boolean {
  return (row) => values.includes(valueIn(view, field, row));
}

function valueIn({ name, fields }: LookUpList['view'], field: string, row: object): unknown {
  const declared = fields[field];
  if (declared?.kind !== 'value') throw new RangeError(`the view ${name} has no value ${field}`);
  return declared.of(row);
}
