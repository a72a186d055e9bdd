import type { Answer, Request } from '../world/installation.js';
import type { Known, Partner, User } from '../workload/known.js';
import type { NaiveViews } from './naive-views.js';
import type { Units } from './units.js';
import { Violation } from './violation.js';

type Ask = (request: Request) => Promise<Answer>;

/** How many users have their lists compared. */
const USERS = 8;

interface Row {
  readonly user_id: string | null;
  readonly created_at: number;
  readonly state?: string;
  readonly expires_at?: number | null;
  readonly is_active?: boolean;
  readonly deleted?: boolean;
  readonly removed?: boolean;
}

/** A list of what belongs to a user: the name of its array, its path, and the rows that it has. */
interface List {
  readonly name: string;
  readonly path: (user: string) => string;
  readonly view: string;
  readonly has?: (row: Row, now: number) => boolean;
}

const isExpired = ({ state, expires_at }: Row, now: number): boolean =>
  state === 'valid' && typeof expires_at === 'number' && now >= expires_at;

/** The lists of a user, with each of their filters. */
const LISTS: readonly List[] = [
  { name: 'purchases', path: (user) => `/users/${user}/purchases?`, view: 'purchases' },
  { name: 'coupons', path: (user) => `/users/${user}/coupons?`, view: 'coupons' },
  {
    name: 'coupons',
    path: (user) => `/users/${user}/coupons?filter=valid&`,
    view: 'coupons',
    has: (row, now) => row.state === 'valid' && !isExpired(row, now),
  },
  {
    name: 'coupons',
    path: (user) => `/users/${user}/coupons?filter=redeemed,expired&`,
    view: 'coupons',
    has: (row, now) => row.state === 'redeemed' || isExpired(row, now),
  },
  { name: 'card_links', path: (user) => `/users/${user}/card_links?`, view: 'card-links' },
  {
    name: 'card_links',
    path: (user) => `/users/${user}/card_links?filter=unlinked,fulfilled&`,
    view: 'card-links',
    has: ({ state }) => state === 'unlinked' || state === 'fulfilled',
  },
  { name: 'saved_deals', path: (user) => `/users/${user}/saved_deals?`, view: 'saved-deals' },
  { name: 'subscriptions', path: (user) => `/users/${user}/subscriptions?`, view: 'subscriptions' },
  {
    name: 'shipping_addresses',
    path: (user) => `/users/${user}/shipping_addresses?`,
    view: 'addresses',
    has: ({ removed }) => removed !== true,
  },
  {
    name: 'credit_cards',
    path: (user) => `/credit_cards?user_id=${user}&`,
    view: 'cards',
    has: ({ deleted }) => deleted !== true,
  },
  { name: 'credit_cards', path: (user) => `/credit_cards?user_id=${user}&deleted=true&`, view: 'cards' },
];

/** The lists over HTTP show what the rows say: what belongs to some users, by each filter, and the units of every deal. */
export async function checkLists(
  ask: Ask,
  known: Known,
  views: NaiveViews,
  of: { readonly units: Units; readonly now: () => number },
): Promise<void> {
  const [partner] = known.partners;
  if (partner === undefined) return;
  const hidden = hiddenUsers(views);
  const users = known.users.values.filter(({ id }) => !hidden.has(id)).slice(0, USERS);
  for (const user of users) for (const list of LISTS) await checkList(ask, user, list, views, of.now());
  await checkDeals(ask, known, partner, of.units);
}

/** A list, its number of items, and the same list in pages, are the rows, the newest first. */
async function checkList(ask: Ask, { id, partner }: User, list: List, views: NaiveViews, now: number): Promise<void> {
  const { name, path, view, has = () => true } = list;
  const read = async (more: string): Promise<Readonly<Record<string, unknown>>> => {
    const answer = await ask({ method: 'GET', path: `${path(id)}${more}`, credential: { key: partner.key } });
    return JSON.parse(answer.text) as Readonly<Record<string, unknown>>;
  };
  const idsIn = (shown: Readonly<Record<string, unknown>>): readonly string[] =>
    (shown[name] as readonly { readonly id: string }[]).map((each) => each.id);
  const expected = [...views.of(view)]
    .map(([key, { row }]) => ({ key, row: row as Row }))
    .filter(({ row }) => row.user_id === id && has(row, now))
    .sort((a, b) => b.row.created_at - a.row.created_at || (a.key < b.key ? -1 : 1))
    .map(({ key }) => key);
  const differs = (found: string): Violation =>
    new Violation(
      'lists show what the rows say',
      `${name} of user ${id} (${path(id)})`,
      `${found}; expected ${expected.join()}`,
    );
  const shown = idsIn(await read('per_page=1000'));
  if (shown.join() !== expected.join()) throw differs(shown.join());
  const page = idsIn(await read('per_page=2&page=2'));
  if (page.join() !== expected.slice(2, 4).join()) throw differs(`${page.join()} on page 2 of 2 each`);
  const { count } = await read('count=true');
  if (count !== expected.length) throw differs(`${String(count)} items`);
}

/** Every deal shows its units. */
async function checkDeals(ask: Ask, known: Known, { key }: Partner, units: Units): Promise<void> {
  for (const { slug, kind } of known.deals.values) {
    const answer = await ask({ method: 'GET', path: `/deals/${slug}`, credential: { key } }).catch(() => undefined);
    const there = units.of(slug);
    if (answer === undefined || there === undefined || kind === 'card-linked') continue;
    const { deal } = JSON.parse(answer.text) as {
      readonly deal: { readonly number_sold: number; readonly num_left: number | null };
    };
    const inStock = there.stock === null ? Infinity : there.stock - there.held - there.sold;
    const least = Math.max(0, Math.min(inStock, there.codes === null ? Infinity : there.codes - there.held));
    const left = least === Infinity ? null : least;
    if (deal.number_sold !== there.sold || deal.num_left !== left)
      throw new Violation(
        'a deal shows its units',
        `deal ${slug}`,
        `${deal.number_sold} sold, ${deal.num_left} left; expected ${there.sold}, ${left}`,
      );
  }
}

function hiddenUsers(views: NaiveViews): ReadonlySet<string> {
  const hidden = [...views.of('users')].filter(
    ([, { row }]) => (row as { readonly deleted?: boolean }).deleted === true,
  );
  return new Set(hidden.map(([key]) => key));
}
