import { cardOf, GOOD_CARD, storeCard } from '../support/cards.js';
import type { RunningService } from '../support/running-service.js';
import { httpRequest, type Visit } from './load.js';

/** One line of the table. */
export interface Row {
  readonly name: string;
  readonly visit: Visit;
  /** Sales that go on at Holdfast while the bench measures either server. */
  readonly beside?: Visit;
}

/** The bare server's answers. */
export interface Yardsticks {
  /** By address pattern: an object that the server serialises for each answer. */
  readonly objects: readonly { readonly path: string; readonly answer: string }[];
  /** By whole address: an answer that is ready as text. */
  readonly texts: Readonly<Record<string, string>>;
}

/** The rows, and the yardstick's answers. */
export interface Plan {
  readonly rows: readonly Row[];
  readonly yardsticks: Yardsticks;
}

/** More users than connections: a deal charges a user once at a time. */
const USERS = 600;
const STOCK = 1_000_000_000;

/** Creates what the rows of buying need: a partner, users with cards, and for each row a deal that never sells out. */
export async function prepareSales(service: RunningService): Promise<Plan> {
  const { key } = await service.newPartner('bench');
  const buyers = await Promise.all(
    Array.from({ length: USERS }, async (_, made) => {
      const user = await service.newUser(key, `user${made}@example.com`);
      return { user, card: await storeCard(service, key, user, GOOD_CARD) };
    }),
  );
  const users = buyers.map(({ user }) => user);
  for (const deal of ['hot-reserved', 'hot-claimed', 'hot-charged']) {
    await service.newDeal(deal, { stock: STOCK, max_per_user: null });
  }
  const reserveBody = (deal: string): object => ({ deal_id: deal, num_bought: 1 });
  const answered = async (method: string, path: string, body: object): Promise<string> => {
    const answer = await service.ask(method, path, { key, body });
    if (answer.status !== 200) throw new Error(`the first ${method} ${path} failed: ${answer.text}`);
    return answer.text;
  };
  const [user = '', card = ''] = [buyers[0]?.user, buyers[0]?.card];
  const stored = { deal_id: 'hot-charged', quantity: 1, expected_price_per_unit: 1000 };
  const reserved = await answered('POST', '/purchases/reserve', reserveBody('hot-claimed'));
  const { purchase } = JSON.parse(reserved) as { purchase: { id: string } };
  const claimed = await answered('PUT', `/purchases/${purchase.id}/claim`, { user_id: user });
  const charged = await answered('POST', '/purchases', { ...stored, user_id: user, credit_card_id: card });
  const { credit_card_id: _, ...full } = { ...stored, credit_card_id: '', credit_card: cardOf(GOOD_CARD) };
  const bought = await answered('POST', '/purchases/full', { ...full, user_id: user });

  const reserve = (deal: string): string =>
    httpRequest('POST', '/purchases/reserve', key, JSON.stringify(reserveBody(deal)));
  const claim = httpRequest('PUT', '/purchases/{id}/claim', key, JSON.stringify({ user_id: user }));
  /** The names come first in a body, so that one placeholder fills them in. */
  const named = (names: readonly string[], path: string, rest: object): Visit => {
    const body = `{${names[0] ?? ''},${JSON.stringify(rest).slice(1)}`;
    return {
      requests: [httpRequest('POST', path, key, body).replace(names[0] ?? '', '{user}')],
      users: names,
    };
  };
  const byCard = buyers.map(({ user: id, card: its }) => `"user_id":"${id}","credit_card_id":"${its}"`);
  const byUser = users.map((id) => `"user_id":"${id}"`);
  return {
    rows: [
      { name: 'reserve on one hot deal', visit: { requests: [reserve('hot-reserved')], users } },
      {
        name: 'reserve then claim',
        visit: { requests: [reserve('hot-claimed'), claim.replace(user, '{user}')], users },
      },
      { name: 'buy with a stored card', visit: named(byCard, '/purchases', stored) },
      { name: 'buy in full', visit: named(byUser, '/purchases/full', full) },
    ],
    yardsticks: {
      objects: [
        { path: '/reserve$', answer: reserved },
        { path: '/claim$', answer: claimed },
        { path: '/full$', answer: bought },
        { path: '/purchases$', answer: charged },
      ],
      texts: {},
    },
  };
}
