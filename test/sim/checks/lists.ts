import type { Answer, Request } from '../world/installation.js';
import type { Known } from '../workload/known.js';
import type { NaiveViews } from './naive-views.js';
import type { Units } from './units.js';
import { Violation } from './violation.js';

type Ask = (request: Request) => Promise<Answer>;

/** The lists over HTTP show what the rows say: every purchase of some users, and the units of every deal. */
export async function checkLists(ask: Ask, known: Known, views: NaiveViews, units: Units): Promise<void> {
  const [partner] = known.partners;
  if (partner === undefined) return;
  const hidden = hiddenUsers(views);
  for (const user of known.users.values.slice(0, 8)) {
    if (hidden.has(user.id)) continue;
    const credential = { key: user.partner.key };
    const answer = await ask({ method: 'GET', path: `/users/${user.id}/purchases?per_page=1000`, credential });
    const { purchases } = JSON.parse(answer.text) as { readonly purchases: readonly { readonly id: string }[] };
    const shown = purchases.map(({ id }) => id).sort();
    const rows = [...views.of('purchases')].filter(
      ([, { row }]) => (row as { user_id: string | null }).user_id === user.id,
    );
    const expected = rows.map(([key]) => key).sort();
    if (shown.join() !== expected.join())
      throw new Violation(
        'lists show what the rows say',
        `purchases of user ${user.id}`,
        `${shown.join()}; expected ${expected.join()}`,
      );
  }
  for (const { slug, kind } of known.deals.values) {
    const answer = await ask({ method: 'GET', path: `/deals/${slug}`, credential: { key: partner.key } }).catch(
      () => undefined,
    );
    const there = units.of(slug);
    if (answer === undefined || there === undefined || kind === 'card-linked' || kind === 'codes') continue;
    const { deal } = JSON.parse(answer.text) as {
      readonly deal: { readonly number_sold: number; readonly num_left: number | null };
    };
    const left = there.stock === null ? null : Math.max(0, there.stock - there.held - there.sold);
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
