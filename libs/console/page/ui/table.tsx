import type { ComponentChildren, VNode } from 'preact';
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { get, type Failure } from '../api.js';
import { count } from '../format.js';
import { Empty, Failed, failureOf, Waiting } from './loaded.js';

/** A column of a table. */
export interface Column<Row> {
  readonly name: string;
  readonly cell: (row: Row) => ComponentChildren;
  /** Numbers stand on the right. */
  readonly number?: boolean;
  /** Left out where there is little room. */
  readonly wide?: boolean;
}

/** The height of a row in pixels: all rows have it, so that those out of sight need no elements. */
const ROW = 44;
/** Rows beyond those in sight that have elements all the same. */
const AROUND = 20;

/** Which rows are in sight of the window. */
function useInSight(count: number): readonly [table: (of: HTMLTableElement | null) => void, from: number, to: number] {
  const element = useRef<HTMLTableElement | null>(null);
  const [from, setFrom] = useState(0);
  const look = useCallback(() => {
    const top = element.current?.getBoundingClientRect().top ?? 0;
    setFrom(Math.max(0, Math.floor(-top / ROW / 10) * 10 - AROUND));
  }, []);
  useEffect(() => {
    addEventListener('scroll', look, { passive: true });
    addEventListener('resize', look);
    return () => {
      removeEventListener('scroll', look);
      removeEventListener('resize', look);
    };
  }, [look]);
  const most = Math.ceil(innerHeight / ROW) + 2 * AROUND + 10;
  return [(of) => (element.current = of), Math.min(from, count), Math.min(count, from + most)];
}

/** A table whose rows out of sight have no elements. */
export function Table<Row>({
  label,
  columns,
  rows,
  keyOf,
  total,
}: {
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  /** How many there are; undefined: more than are here, and nobody has counted them. */
  readonly total?: number | undefined;
}): VNode {
  const [table, from, to] = useInSight(rows.length);
  const filler = (height: number): VNode | null =>
    height === 0 ? null : (
      <tr aria-hidden="true" class="filler">
        <td colSpan={columns.length} style={{ height: `${height}px` }} />
      </tr>
    );
  const classOf = ({ number, wide }: Column<Row>): string =>
    [number === true && 'number', wide === true && 'wide'].filter(Boolean).join(' ');
  return (
    <div class="table">
      <table ref={table} aria-label={label} aria-rowcount={total === undefined ? -1 : total + 1} onKeyDown={walk}>
        <thead>
          <tr aria-rowindex={1}>
            {columns.map((column) => (
              <th key={column.name} scope="col" class={classOf(column)}>
                {column.name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {filler(from * ROW)}
          {rows.slice(from, to).map((row, nth) => (
            <tr key={keyOf(row)} aria-rowindex={from + nth + 2}>
              {columns.map((column) => (
                <td key={column.name} class={classOf(column)}>
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          ))}
          {filler((rows.length - to) * ROW)}
        </tbody>
      </table>
    </div>
  );
}

/** The arrow keys walk from row to row: to the first link or button of the next one. */
function walk(event: KeyboardEvent): void {
  const step = { ArrowDown: 'nextElementSibling', ArrowUp: 'previousElementSibling' }[event.key] as
    | 'nextElementSibling'
    | 'previousElementSibling'
    | undefined;
  const row = event.target instanceof Element ? event.target.closest('tbody tr') : null;
  if (step === undefined || row === null) return;
  const next = row[step]?.querySelector<HTMLElement>('a, button');
  if (next === undefined || next === null) return;
  event.preventDefault();
  next.focus();
}

interface PageOf<Row> {
  readonly rows: readonly Row[];
  readonly next: string | null;
}

/**
 * A list that the service filters and pages: the next page comes when its end is near.
 * @param path with its filters
 * @param name the field of the answer that has the rows
 */
export function Listed<Row>({
  path,
  name,
  label,
  columns,
  keyOf,
  empty,
  whole = true,
}: {
  readonly path: string;
  readonly name: string;
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly keyOf: (row: Row) => string;
  readonly empty: ComponentChildren;
  /** Whether the pages after the first one come, too. */
  readonly whole?: boolean;
}): VNode {
  const [page, setPage] = useState<PageOf<Row> & { readonly path: string }>();
  const [failure, setFailure] = useState<Failure>();
  const [turn, setTurn] = useState(0);
  const end = useRef<HTMLDivElement>(null);
  const busy = useRef(false);
  const known = page?.path === path ? page : undefined;
  // Until the answer to other filters comes, the rows of the last ones stay, greyed.
  const shown = known ?? page;

  useEffect(() => {
    const left = new AbortController();
    setFailure(undefined);
    busy.current = true;
    read<Row>(path, name, null, left.signal)
      .then((first) => setPage({ ...first, path }))
      .catch((error: unknown) => left.signal.aborted || setFailure(failureOf(error)))
      .finally(() => (busy.current = false));
    return () => left.abort();
  }, [path, name, turn]);

  useEffect(() => {
    const { current } = end;
    if (current === null || known === undefined || known.next === null || !whole) return;
    const { next } = known;
    const more = (): void => {
      if (busy.current) return;
      busy.current = true;
      read<Row>(path, name, next)
        .then((then) =>
          setPage((before) =>
            before?.path === path && before.next === next
              ? { ...then, path, rows: [...before.rows, ...then.rows] }
              : before,
          ),
        )
        .catch((error: unknown) => setFailure(failureOf(error)))
        .finally(() => (busy.current = false));
    };
    const watch = new IntersectionObserver((seen) => seen.some(({ isIntersecting }) => isIntersecting) && more(), {
      rootMargin: '1500px',
    });
    watch.observe(current);
    return () => watch.disconnect();
  }, [known, path, name, whole]);

  const again = (): void => setTurn((of) => of + 1);
  return (
    <div class={known === undefined && shown !== undefined ? 'old' : ''} aria-busy={known === undefined}>
      {failure !== undefined && <Failed failure={failure} again={again} />}
      {shown === undefined && failure === undefined && <Waiting />}
      {shown !== undefined && shown.rows.length === 0 && shown.next === null && (
        <Empty title="Nothing here.">{empty}</Empty>
      )}
      {shown !== undefined && shown.rows.length > 0 && (
        <Table
          label={label}
          columns={columns}
          rows={shown.rows}
          keyOf={keyOf}
          total={shown.next === null ? shown.rows.length : undefined}
        />
      )}
      <div ref={end} class="soft row" role="status">
        {shown !== undefined && shown.rows.length > 0 && (
          <p>
            {count(shown.rows.length)} shown
            {shown.next === null ? ', all there are' : whole ? '; more come as you scroll' : ', the newest'}.
          </p>
        )}
      </div>
    </div>
  );
}

async function read<Row>(path: string, name: string, after: string | null, signal?: AbortSignal): Promise<PageOf<Row>> {
  const more = after === null ? '' : `${path.includes('?') ? '&' : '?'}after=${encodeURIComponent(after)}`;
  const answer = await get<Readonly<Record<string, unknown>>>(`${path}${more}`, signal);
  return { rows: answer[name] as readonly Row[], next: answer['next'] as string | null };
}
