import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { RunningService, type Answer, type Json, type TestPartner } from '../support/running-service.js';

describe('the v1 list without card-linked deals', () => {
  let service: RunningService;
  let acme: TestPartner;
  let rival: TestPartner;
  let ann: string;
  let eve: string;

  beforeAll(async () => {
    service = await RunningService.start();
    acme = await service.newPartner('acme');
    rival = await service.newPartner('rival');
    await service.newDeal('spa');
    for (const slug of ['coffee', 'cake', 'tea']) await service.newDeal(slug, { type: 'card-linked' });
    await service.operate('PUT', '/regions/elsewhere', { name: 'Elsewhere', time_zone: 'UTC' });
    await service.newDeal('far', { type: 'card-linked', region_id: 'elsewhere' });
    [ann, eve] = [
      await service.newUser(acme.key, 'Ann@Example.org'),
      await service.newUser(acme.key, 'eve@example.org'),
    ];
    await link('coffee', 'fulfilled');
    await link('cake', 'linked');
    await link('tea', 'unlinked');
    await service.ask('PUT', `/users/${eve}`, { key: acme.key, body: { is_deleted: true } });
  });
  afterAll(() => service.discard());

  /** Ann's link, in a state. */
  async function link(deal_id: string, state: 'linked' | 'unlinked' | 'fulfilled'): Promise<void> {
    const { key } = acme;
    const { id } = (await service.ask('POST', '/card_links', { key, body: { user_id: ann, deal_id } })).body.card_link;
    const transaction = { transaction_amount: 1, transaction_date: '2026-01-31T12:00:00', transaction_reference: 'r' };
    const body = { ...transaction, max_redemption: true };
    if (state === 'fulfilled') await service.ask('PUT', `/card_links/${id}/redeem`, { key, body });
    if (state === 'unlinked') await service.ask('PUT', `/card_links/${id}/unlink`, { key });
  }
  const list = (parameters: object, key = acme.key): Promise<Answer> =>
    service.ask('GET', '/v1/deals', { key, body: parameters });
  const ids = ({ body }: Answer): readonly string[] => body.deals.map(({ id }: Json) => id as string).toSorted();

  it('4.3.18, 4.3, C3: card_links_redeemed=false leaves out all card-linked deals', async () => {
    expect(ids(await list({}))).toEqual(['cake', 'coffee', 'far', 'spa', 'tea']);
    for (const card_links_redeemed of [false, 'false']) {
      expect(ids(await list({ card_links_redeemed }))).toEqual(['spa']);
      expect((await list({ card_links_redeemed, count: true })).body.count).toBe(1);
    }
    expect(ids(await list({ card_links_redeemed: false, region: 'elsewhere' }))).toEqual([]);
  });

  it('4.3.13, 4.3, C3: with a user, by id or by e-mail, only those that this user has fulfilled', async () => {
    for (const user of [ann, 'Ann@Example.org', 'ann@example.ORG']) {
      const answer = await list({ card_links_redeemed: false, region: 'testland', user });
      expect([answer.status, ids(answer)]).toEqual([200, ['cake', 'spa', 'tea']]);
    }
    expect(ids(await list({ card_links_redeemed: false, region: 'elsewhere', user: ann }))).toEqual(['far']);
    const bob = await service.newUser(acme.key, 'bob@example.org');
    const all = ['cake', 'coffee', 'spa', 'tea'];
    expect(ids(await list({ card_links_redeemed: false, region: 'testland', user: bob }))).toEqual(all);
  });

  it.each<readonly [parameters: Readonly<Record<string, unknown>>, message: string]>([
    [{ card_links_redeemed: true }, 'card_links_redeemed can only be false'],
    [{ card_links_redeemed: 'no' }, 'card_links_redeemed must be true or false'],
    [{ user: 'ann', region: 'testland' }, 'user needs card_links_redeemed=false'],
    [{ user: 'ann', card_links_redeemed: false }, 'user needs region'],
    [{ user: 'nobody', card_links_redeemed: false, region: 'testland' }, 'user is not known'],
    [{ user: 'nobody@example.org', card_links_redeemed: false, region: 'testland' }, 'user is not known'],
  ])('C3: %j is a 404 that names the parameter', async (parameters, message) => {
    const { status, body } = await list(parameters);
    expect([status, body.error_type, body.error_msg]).toEqual([404, 'find_failed', message]);
  });

  it('C3, A5, E1: another partner’s user and a deleted one are unknown', async () => {
    const about = { card_links_redeemed: false, region: 'testland' };
    const unknown = (await list({ ...about, user: 'nobody' })).text;
    for (const [user, key] of [
      [ann, rival.key],
      ['ann@example.org', rival.key],
      [eve, acme.key],
      ['eve@example.org', acme.key],
    ] as const) {
      const answer = await list({ ...about, user }, key);
      expect([answer.status, answer.text]).toEqual([404, unknown]);
    }
  });
});
