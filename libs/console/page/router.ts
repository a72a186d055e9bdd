import { signal } from '@preact/signals';

/** The address of the page: a path below `/console`, the filters, and what must not stand in an address. */
export interface Place {
  /** Such as `/deals/tram-28`; `/` for the overview. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** What belongs to this place in the history of the browser alone: it may be a person’s data. */
  readonly kept: Readonly<Record<string, string>>;
}

const BASE = '/console';

function read(): Place {
  const { pathname, search } = location;
  const path = pathname.startsWith(BASE) ? pathname.slice(BASE.length) : pathname;
  const kept = (history.state ?? {}) as Readonly<Record<string, string>>;
  return { path: path === '' ? '/' : path, query: new URLSearchParams(search), kept };
}

export const place = signal<Place>(read());

/** The address of a path below `/console`. */
export const hrefOf = (path: string): string => (path === '/' ? BASE : `${BASE}${path}`);

/** Goes to a page of the console. */
export function go(path: string, kept: Readonly<Record<string, string>> = {}): void {
  history.pushState(kept, '', hrefOf(path));
  place.value = read();
  scrollTo(0, 0);
}

/** Changes filters: those that may stand in the address, and those that may not. The page stays where it is. */
export function filterBy(query: URLSearchParams, kept: Readonly<Record<string, string>>): void {
  const text = query.toString();
  history.replaceState(kept, '', `${location.pathname}${text === '' ? '' : `?${text}`}`);
  place.value = read();
}

/** Follows clicks on links of the console without loading the page again. */
export function followLinks(): void {
  addEventListener('popstate', () => (place.value = read()));
  document.addEventListener('click', (event) => {
    if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey) return;
    const link = event.target instanceof Element ? event.target.closest('a') : null;
    if (link === null || link.target !== '' || link.hasAttribute('download')) return;
    const { pathname, search, origin } = new URL(link.href);
    if (origin !== location.origin || !(pathname === BASE || pathname.startsWith(`${BASE}/`))) return;
    event.preventDefault();
    go(`${pathname.slice(BASE.length) || '/'}${search}`);
  });
}
