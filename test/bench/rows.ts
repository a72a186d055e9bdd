import type { RunningService } from '../support/running-service.js';
import { httpRequest, type Visit } from './load.js';

/** One line of the table. */
export interface Row {
  readonly name: string;
  readonly visit: Visit;
}

/** The rows, and the answers that the yardstick is to give. */
export interface Plan {
  readonly rows: readonly Row[];
  readonly answers: readonly string[];
}

const USERS = 100;
const STOCK = 1_000_000_000;

/** Makes what the rows need: a partner, users, a deal that never sells out for each row, and one of each answer. */
export async function prepare(service: RunningService): Promise<Plan> {
  const { key } = await service.newPartner('bench');
  const users: string[] = [];
  for (let made = 0; made < USERS; made += 1) users.push(await service.newUser(key, `user${made}@example.com`));
  for (const deal of ['hot-reserved', 'hot-claimed']) {
    await service.newDeal(deal, { stock: STOCK, max_per_user: null });
  }

  const reserveBody = (deal: string): object => ({ deal_id: deal, num_bought: 1 });
  const reserved = await service.ask('POST', '/v1/purchases/reserve', { key, body: reserveBody('hot-claimed') });
  const { purchase } = reserved.body as { purchase: { id: string } };
  const claimed = await service.ask('PUT', `/v1/purchases/${purchase.id}/claim`, { key, body: { user_id: users[0] } });
  if (claimed.status !== 200) throw new Error(`the first purchase failed: ${reserved.text} ${claimed.text}`);

  const reserve = (deal: string): string =>
    httpRequest('POST', '/purchases/reserve', key, JSON.stringify(reserveBody(deal)));
  const user = users[0] ?? '';
  const claim = httpRequest('PUT', '/purchases/{id}/claim', key, JSON.stringify({ user_id: user }));
  return {
    rows: [
      { name: 'reserve on one hot deal', visit: { requests: [reserve('hot-reserved')], users } },
      {
        name: 'reserve then claim',
        visit: { requests: [reserve('hot-claimed'), claim.replace(user, '{user}')], users },
      },
    ],
    answers: [reserved.text, claimed.text],
  };
}
