import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { breakOff } from '../support/break-off.js';
import { itOnEmbedded } from '../support/on-embedded.js';
import { NO_DEAL, NO_USER, fault, unableToFind, validationFailed } from '../support/refusals.js';
import { RunningService, type Answer, type Json, type TestPartner } from '../support/running-service.js';

const NO_SAVED_DEAL = unableToFind('you have no saved deal with this id');
const UNKNOWN_USER = validationFailed(fault('not_found', 'not found', 'user_id', 'user'));

describe('saved deals', () => {
  let service: RunningService;
  let acme: TestPartner;
  let rival: TestPartner;

  beforeAll(async () => {
    service = await RunningService.start();
    acme = await service.newPartner('acme');
    rival = await service.newPartner('rival');
    for (const slug of ['spa', 'boat', 'walk', 'tea', 'show']) await service.newDeal(slug);
  });
  afterAll(() => service.discard());

  let users = 0;
  const newUser = (key = acme.key): Promise<string> => service.newUser(key, `user-${(users += 1)}@example.org`);
  const save = (body: object, key = acme.key, headers = {}): Promise<Answer> =>
    service.ask('POST', '/saved_deals', { key, body, headers });
  const remove = (id: string, key = acme.key, headers = {}): Promise<Answer> =>
    service.ask('DELETE', `/saved_deals/${encodeURIComponent(id)}`, { key, headers });
  const list = (user: string, query = '', key = acme.key): Promise<Answer> =>
    service.ask('GET', `/users/${user}/saved_deals${query}`, { key });
  const dealsOf = ({ body }: Answer): readonly string[] => body.saved_deals.map(({ deal_id }: Json) => deal_id);
  const hide = (user: string, is_deleted: boolean): Promise<Answer> =>
    service.ask('PUT', `/users/${user}`, { key: acme.key, body: { is_deleted } });

  it('4.11.1, 4.11.2, 4.11.3, 4.11, 2.10, A9, B2: are saved for a user, listed, and removed', async () => {
    const user_id = await newUser();
    expect((await list(user_id)).text).toBe('{"status":"success","saved_deals":[]}');
    const saved = await save({ deal_id: 'spa', user_id });
    const id: string = saved.body.saved_deal.id;
    expect(id).toMatch(/^[0-9a-f]{32}$/);
    const shown = JSON.stringify({ id, deal_id: 'spa', user_id });
    expect([saved.status, saved.text]).toEqual([200, `{"status":"success","saved_deal":${shown}}`]);
    expect((await list(user_id)).text).toBe(`{"status":"success","saved_deals":[${shown}]}`);
    const removed = await remove(id);
    expect([removed.status, removed.text]).toEqual([200, '{"status":"success"}']);
    expect((await list(user_id)).text).toBe('{"status":"success","saved_deals":[]}');
  });

  it('E3: the same user and deal again are the existing one, and after its removal a new one with its id', async () => {
    const [ann, bob] = [await newUser(), await newUser()];
    const first = await save({ deal_id: 'spa', user_id: ann });
    await service.forward(1);
    await save({ deal_id: 'tea', user_id: ann });
    expect((await save({ deal_id: 'spa', user_id: ann })).text).toBe(first.text);
    expect(dealsOf(await list(ann))).toEqual(['tea', 'spa']);
    expect((await save({ deal_id: 'spa', user_id: bob })).body.saved_deal.id).not.toBe(first.body.saved_deal.id);
    await remove(first.body.saved_deal.id);
    expect(dealsOf(await list(ann))).toEqual(['tea']);
    await service.forward(1);
    expect((await save({ deal_id: 'spa', user_id: ann })).text).toBe(first.text);
    expect(dealsOf(await list(ann))).toEqual(['spa', 'tea']);
  });

  it('E3: twenty calls at once save one, and of twenty calls that remove it one succeeds', async () => {
    const user_id = await newUser();
    const saved = await Promise.all(Array.from({ length: 20 }, () => save({ deal_id: 'spa', user_id })));
    expect(new Set(saved.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect((await list(user_id, '?count=true')).text).toBe('{"status":"success","count":1}');
    const id: string = saved[0]?.body.saved_deal.id;
    const removed = await Promise.all(Array.from({ length: 20 }, () => remove(id)));
    expect(removed.map(({ status }) => status).toSorted()).toEqual([200, ...Array<number>(19).fill(404)]);
    expect((await list(user_id, '?count=true')).body.count).toBe(0);
  });

  it('4.11.1, 4.11, 4.1, A10: are listed newest first, in pages that do not overlap', async () => {
    const user_id = await newUser();
    const deals = ['spa', 'boat', 'walk', 'tea', 'show'];
    for (const deal_id of deals) {
      await save({ deal_id, user_id });
      await service.forward(1);
    }
    expect(dealsOf(await list(user_id))).toEqual(deals.toReversed());
    const pages = await Promise.all([1, 2, 3, 4].map((page) => list(user_id, `?per_page=2&page=${page}`)));
    expect(pages.map(dealsOf)).toEqual([['show', 'tea'], ['walk', 'boat'], ['spa'], []]);
    const refused = await list(user_id, '?per_page=1001');
    expect([refused.status, refused.text]).toEqual([
      422,
      validationFailed(fault('invalid', 'must be an integer from 1 to 1000', 'per_page', 'saved_deal')),
    ]);
  });

  it('A8, 7.2: one answer names everything that is missing or of the wrong type', async () => {
    const missing = await save({});
    expect([missing.status, missing.text]).toEqual([
      422,
      validationFailed(
        ...['deal_id', 'user_id'].map((field) => fault('missing_field', 'is missing', field, 'saved_deal')),
      ),
    ]);
    const wrong = await save({ deal_id: ['spa', 'tea'], user_id: {} });
    expect(wrong.body.errors.map(({ type, field }: Json) => [type, field])).toEqual([
      ['invalid', 'deal_id'],
      ['invalid', 'user_id'],
    ]);
  });

  it('A8: an unknown deal is a 404, whoever the user is; a deal in any other state may be saved', async () => {
    const user_id = await newUser();
    for (const user of [user_id, 'nobody']) {
      for (const deal_id of ['nothing', '__proto__', 'x'.repeat(4000)]) {
        const refused = await save({ deal_id, user_id: user });
        expect([refused.status, refused.text]).toEqual([404, NO_DEAL]);
      }
    }
    await service.newDeal('over');
    await service.operate('POST', '/deals/over/transitions', { to: 'cancelled' });
    expect((await save({ deal_id: 'over', user_id })).status).toBe(200);
    expect(dealsOf(await list(user_id))).toEqual(['over']);
  });

  it('A5, A8, E1: an unknown user, a deleted one and another partner’s have none and get none', async () => {
    const [ann, eve] = [await newUser(), await newUser()];
    const { id } = (await save({ deal_id: 'spa', user_id: eve })).body.saved_deal;
    await hide(eve, true);
    for (const [user_id, key] of [
      ['nobody', acme.key],
      [eve, acme.key],
      [ann, rival.key],
    ] as const) {
      const refused = await save({ deal_id: 'spa', user_id }, key);
      expect([refused.status, refused.text]).toEqual([422, UNKNOWN_USER]);
      const listed = await list(user_id, '', key);
      expect([listed.status, listed.text]).toEqual([404, NO_USER]);
    }
    expect([(await remove(id)).status, (await remove(id)).text]).toEqual([404, NO_SAVED_DEAL]);
    await hide(eve, false);
    expect(dealsOf(await list(eve))).toEqual(['spa']);
    expect((await remove(id)).status).toBe(200);
  });

  it('A5, A8: an unknown saved deal, a removed one and another partner’s get the same answer', async () => {
    const user_id = await newUser();
    const kept: string = (await save({ deal_id: 'spa', user_id })).body.saved_deal.id;
    const removed: string = (await save({ deal_id: 'tea', user_id })).body.saved_deal.id;
    await remove(removed);
    for (const [id, key] of [
      ['nothing', acme.key],
      ['__proto__', acme.key],
      ['x'.repeat(4000), acme.key],
      [removed, acme.key],
      [kept, rival.key],
    ] as const) {
      const refused = await remove(id, key);
      expect([refused.status, refused.text]).toEqual([404, NO_SAVED_DEAL]);
    }
    expect(dealsOf(await list(user_id))).toEqual(['spa']);
  });

  itOnEmbedded(
    'A11: repeats after a crash neither save a deal that was removed meanwhile, nor remove one that was saved again',
    async () => {
      const on = { service: await RunningService.start() };
      const { key } = await on.service.newPartner('acme');
      await on.service.newDeal('spa');
      const user_id = await on.service.newUser(key, 'ann@example.org');
      const post = (headers = {}): Promise<Answer> =>
        on.service.ask('POST', '/saved_deals', { key, body: { deal_id: 'spa', user_id }, headers });
      const drop = (id: string, headers = {}): Promise<Answer> =>
        on.service.ask('DELETE', `/saved_deals/${id}`, { key, headers });
      const count = async (): Promise<number> =>
        (await on.service.ask('GET', `/users/${user_id}/saved_deals?count=true`, { key })).body.count as number;

      const [first, second] = [{ 'idempotency-key': 'save-1' }, { 'idempotency-key': 'drop-1' }];
      await breakOff(on, () => post(first));
      const { id } = (await post()).body.saved_deal;
      expect([(await drop(id)).status, await count()]).toEqual([200, 0]);
      const repeated = await post(first);
      expect([repeated.status, repeated.body.saved_deal.id, await count()]).toEqual([200, id, 0]);

      await post();
      await breakOff(on, () => drop(id, second));
      expect([(await post()).status, await count()]).toEqual([200, 1]);
      const again = await drop(id, second);
      expect([again.status, again.text, await count()]).toEqual([200, '{"status":"success"}', 1]);
      await on.service.discard();
    },
  );
});
