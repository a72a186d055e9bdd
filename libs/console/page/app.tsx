import type { VNode } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { me, signOut } from './api.js';
import { LISTS } from './lists.js';
import { connected, live } from './live.js';
import { ActsPage } from './pages/acts.js';
import { BatchPage } from './pages/batch.js';
import { CouponPage } from './pages/coupon.js';
import { DealPage } from './pages/deal.js';
import { ImportsPage } from './pages/imports.js';
import { ListPage } from './pages/list.js';
import { OverviewPage } from './pages/overview.js';
import { PartnerPage, PartnersPage } from './pages/partners.js';
import { ProjectionPage, ProjectionsPage } from './pages/projections.js';
import { PurchasePage } from './pages/purchase.js';
import { SettingsPage } from './pages/settings.js';
import { StreamPage } from './pages/stream.js';
import { TokensPage } from './pages/tokens.js';
import { UserPage } from './pages/user.js';
import { WorkListPage, WorkPage } from './pages/work.js';
import { hrefOf, place } from './router.js';
import { FoundPage, Search } from './search.js';
import { SignIn } from './sign-in.js';
import { done } from './ui/action.js';
import { Empty, Waiting } from './ui/loaded.js';
import { Head } from './ui/parts.js';

/** The menu: what it is about, and its pages. */
const MENU: readonly (readonly [title: string, pages: readonly (readonly [path: string, name: string])[]])[] = [
  ['', [['/', 'Now']]],
  [
    'Sales',
    [
      ['/deals', 'Deals'],
      ['/purchases', 'Purchases'],
      ['/reservations', 'Holds'],
      ['/coupons', 'Coupons'],
      ['/card-links', 'Card links'],
      ['/regions', 'Regions'],
    ],
  ],
  [
    'People',
    [
      ['/users', 'Users'],
      ['/cards', 'Cards'],
      ['/subscriptions', 'Subscriptions'],
      ['/saved-deals', 'Saved deals'],
      ['/batches', 'Batches'],
    ],
  ],
  [
    'Access',
    [
      ['/partners', 'Partners'],
      ['/access-tokens', 'Users’ tokens'],
      ['/tokens', 'Operators'],
    ],
  ],
  [
    'Service',
    [
      ['/projections', 'Projections'],
      ['/work', 'Work'],
      ['/imports', 'Imports'],
      ['/acts', 'Acts'],
      ['/settings', 'Settings'],
    ],
  ],
];

/** The pages of one thing, by the first part of the path. */
const OF_ONE: Readonly<Record<string, (id: string) => VNode>> = {
  deals: (id) => <DealPage id={id} />,
  purchases: (id) => <PurchasePage id={id} />,
  coupons: (id) => <CouponPage id={id} />,
  users: (id) => <UserPage id={id} />,
  batches: (id) => <BatchPage id={id} />,
  partners: (id) => <PartnerPage id={id} />,
  projections: (view) => <ProjectionPage view={view} />,
  work: (list) => <WorkListPage list={list} />,
  streams: (stream) => <StreamPage stream={stream} />,
};

const ALONE: Readonly<Record<string, () => VNode>> = {
  '': () => <OverviewPage />,
  found: () => <FoundPage />,
  partners: () => <PartnersPage />,
  projections: () => <ProjectionsPage />,
  acts: () => <ActsPage />,
  tokens: () => <TokensPage />,
  work: () => <WorkPage />,
  imports: () => <ImportsPage />,
  settings: () => <SettingsPage />,
};

function pageOf(path: string): VNode {
  const [, first = '', ...rest] = path.split('/');
  const id = decodeURIComponent(rest.join('/'));
  const list = LISTS.find((each) => each.path === first);
  const page = id === '' ? (ALONE[first] ?? (list && (() => <ListPage key={first} list={list} />))) : undefined;
  const one = id === '' ? undefined : OF_ONE[first];
  return page?.() ?? one?.(id) ?? <NoPage />;
}

function NoPage(): VNode {
  return (
    <>
      <Head title="No such page" />
      <Empty title="The console has no page with this address.">
        Search for what you hold, or choose from the menu.
      </Empty>
    </>
  );
}

/** The console. */
export function App(): VNode {
  if (me.value === undefined) return <Waiting />;
  return me.value === null ? <SignIn /> : <Signed />;
}

function Signed(): VNode {
  const { path } = place.value;
  const main = useRef<HTMLElement>(null);
  const menu = useRef<HTMLDetailsElement>(null);
  const isFirst = useRef(true);
  useEffect(() => {
    const title = main.current?.querySelector('h1');
    document.title = `${title?.textContent.trim() ?? 'Console'} · Holdfast`;
    if (menu.current !== null && matchMedia('(max-width: 899px)').matches) menu.current.open = false;
    // After a change of the page, the keyboard and screen readers go on at its beginning.
    if (!isFirst.current) main.current?.focus();
    isFirst.current = false;
    done.value = '';
  }, [path]);
  return (
    <div class="frame">
      <a class="skip" href="#main">
        To the content
      </a>
      <header class="top">
        <a class="brand" href={hrefOf('/')}>
          Holdfast
        </a>
        <Search />
        <Account />
      </header>
      <nav aria-label="Pages" class="menu">
        <details ref={menu} open={matchMedia('(min-width: 900px)').matches}>
          <summary>Menu</summary>
          {MENU.map(([title, pages]) => (
            <div key={title}>
              {title !== '' && <h2>{title}</h2>}
              <ul>
                {pages.map(([to, name]) => (
                  <li key={to}>
                    <a href={hrefOf(to)} aria-current={isAt(path, to) ? 'page' : undefined}>
                      {name}
                    </a>
                  </li>
                ))}
                {title === 'Service' && (
                  <>
                    <li>
                      <a href="/operators/queues" target="_blank" rel="noreferrer">
                        Queues ↗
                      </a>
                    </li>
                    <li>
                      <a href="/docs" target="_blank" rel="noreferrer">
                        Reference ↗
                      </a>
                    </li>
                  </>
                )}
              </ul>
            </div>
          ))}
        </details>
      </nav>
      <main id="main" ref={main} tabIndex={-1}>
        <div role="status" class={done.value === '' ? 'said-nothing' : 'note good'}>
          {done.value}
        </div>
        {pageOf(path)}
      </main>
    </div>
  );
}

const isAt = (path: string, to: string): boolean =>
  to === '/' ? path === '/' : path === to || path.startsWith(`${to}/`);

/** Who is signed in, whether the service is well, and the way out. */
function Account(): VNode {
  const health = live.value?.health;
  const isWell = health?.ready === true && connected.value;
  const word = health === undefined ? 'connecting' : isWell ? 'ready' : connected.value ? 'not ready' : 'no connection';
  return (
    <div class="account">
      <a href={hrefOf('/')} class={`state ${isWell ? 'good' : health === undefined ? 'calm' : 'bad'}`}>
        {word}
      </a>
      <span class="who" title={`${me.value?.role ?? ''}, Holdfast ${me.value?.version ?? ''}`}>
        {me.value?.name}
      </span>
      <button type="button" class="small" onClick={() => void signOut()}>
        Sign out
      </button>
    </div>
  );
}
