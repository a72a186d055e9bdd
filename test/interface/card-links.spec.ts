import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { breakOff } from '../support/break-off.js';
import { at, timeOf } from '../support/buying.js';
import { eventsOf } from '../support/data-folder.js';
import { itOnEmbedded } from '../support/on-embedded.js';
import { NO_DEAL, NO_USER, fault, unableToFind, validationFailed } from '../support/refusals.js';
import { RunningService, type Answer, type Json, type TestPartner } from '../support/running-service.js';

const NO_CARD_LINK = unableToFind('you have no card link with this id');
const UNKNOWN_USER = validationFailed(fault('not_found', 'not found', 'user_id', 'user'));
const refusal = ({ status, body }: Answer): readonly unknown[] => [status, body.error_type, body.error_msg];
const notLinked = (why: string): readonly unknown[] => [422, 'update_failed', `the deal cannot be linked: ${why}`];
const DAY = 86_400_000;

describe('card links', () => {
  let service: RunningService;
  let acme: TestPartner;
  let rival: TestPartner;

  beforeAll(async () => {
    service = await RunningService.start();
    acme = await service.newPartner('acme');
    rival = await service.newPartner('rival');
    for (const slug of ['spa', 'boat', 'walk', 'tea', 'show']) await offer(slug);
  });
  afterAll(() => service.discard());

  const offer = (slug: string, more: object = {}): Promise<void> =>
    service.newDeal(slug, { type: 'card-linked', merchant_id: 'harbor', incentive_amount: 500, ...more });
  let users = 0;
  const newUser = (key = acme.key): Promise<string> => service.newUser(key, `user-${(users += 1)}@example.org`);
  const link = (body: object, key = acme.key): Promise<Answer> => service.ask('POST', '/card_links', { key, body });
  const change = (id: string, to: 'link' | 'unlink', key = acme.key): Promise<Answer> =>
    service.ask('PUT', `/card_links/${encodeURIComponent(id)}/${to}`, { key });
  const redeem = (id: string, more: object = {}, key = acme.key): Promise<Answer> =>
    service.ask('PUT', `/card_links/${encodeURIComponent(id)}/redeem`, {
      key,
      body: {
        transaction_amount: 2000,
        transaction_date: '2026-01-31T12:00:00-05:00',
        transaction_reference: 'r-1',
        max_redemption: false,
        ...more,
      },
    });
  const list = (user: string, query = '', key = acme.key): Promise<Answer> =>
    service.ask('GET', `/users/${user}/card_links${query}`, { key });
  const shown = (id: string, user_id: string, state: string, deal_id = 'spa'): object => ({
    id,
    deal_id,
    user_id,
    merchant_id: 'harbor',
    state,
  });
  const statesOf = ({ body }: Answer): readonly string[] =>
    body.card_links.map(({ deal_id, state }: Json) => `${deal_id} ${state}`);
  const linked = async (user_id: string, deal_id = 'spa'): Promise<string> =>
    (await link({ user_id, deal_id })).body.card_link.id;
  const hide = (user: string, is_deleted: boolean): Promise<Answer> =>
    service.ask('PUT', `/users/${user}`, { key: acme.key, body: { is_deleted } });

  it('4.13.2, 4.13.4, 4.13.5, 4.13.6, 3.3.1, 3.3.2, 3.3.3, 3.3.4, 3.3.5, 4.13, 3.3, 2.9, A9, B2: a user is linked, unlinked and linked again, and the last redemption fulfils the link', async () => {
    const user_id = await newUser();
    expect((await list(user_id)).text).toBe('{"status":"success","card_links":[]}');
    const made = await link({ user_id, deal_id: 'spa' });
    const id: string = made.body.card_link.id;
    expect(id).toMatch(/^[0-9a-f]{32}$/);
    const one = (state: string): string =>
      `{"status":"success","card_link":${JSON.stringify(shown(id, user_id, state))}}`;
    expect([made.status, made.text]).toEqual([200, one('linked')]);
    for (const [to, state] of [
      ['unlink', 'unlinked'],
      ['link', 'linked'],
    ] as const) {
      const changed = await change(id, to);
      expect([changed.status, changed.text]).toEqual([200, one(state)]);
      expect((await list(user_id)).body.card_links).toEqual([shown(id, user_id, state)]);
    }
    for (const [max_redemption, state] of [
      [false, 'linked'],
      [true, 'fulfilled'],
    ] as const) {
      const counted = await redeem(id, { transaction_reference: `r-${state}`, max_redemption });
      expect([counted.status, counted.text]).toEqual([200, '{"status":"success"}']);
      expect((await list(user_id)).body.card_links).toEqual([shown(id, user_id, state)]);
    }
  });

  it('4.13.3, 4.13, A2, E3: deal_ids come with commas, as an array or with brackets, and each deal is linked once', async () => {
    const one = await newUser();
    const several = await newUser();
    const bracketed = await newUser();
    const shownTo = async (user_id: string, ids: readonly string[], answer: Answer): Promise<void> => {
      expect([answer.status, Object.keys(answer.body)]).toEqual([200, ['status', 'card_links']]);
      expect(statesOf(answer)).toEqual(ids.map((deal_id) => `${deal_id} linked`));
      expect(statesOf(await list(user_id)).toSorted()).toEqual(statesOf(answer).toSorted());
    };
    await shownTo(one, ['tea', 'spa'], await link({ user_id: one, deal_ids: 'tea,spa,tea' }));
    await shownTo(several, ['spa', 'boat'], await link({ user_id: several, deal_ids: ['spa', 'boat', 'spa'] }));
    const path = `/card_links?user_id=${bracketed}&deal_ids[]=walk&deal_ids[]=show`;
    await shownTo(bracketed, ['walk', 'show'], await service.ask('POST', path, { key: acme.key }));
    const alone = await link({ user_id: one, deal_ids: ['walk'] });
    expect(statesOf(alone)).toEqual(['walk linked']);
  });

  it('E3: the same user and deal again are the existing link, in its present state', async () => {
    const [ann, bob] = [await newUser(), await newUser()];
    const first = await link({ user_id: ann, deal_id: 'spa' });
    const { id } = first.body.card_link;
    expect((await link({ user_id: ann, deal_id: 'spa' })).text).toBe(first.text);
    expect(await linked(bob)).not.toBe(id);
    await change(id, 'unlink');
    expect((await link({ user_id: ann, deal_id: 'spa' })).body.card_link).toEqual(shown(id, ann, 'unlinked'));
    expect(statesOf(await link({ user_id: ann, deal_ids: 'spa,tea' }))).toEqual(['spa unlinked', 'tea linked']);
    expect((await list(ann, '?count=true')).body.count).toBe(2);
  });

  it('4.13.1, 4.13, 4.1, A10: are listed newest first, by state, in pages that do not overlap', async () => {
    const user_id = await newUser();
    const deals = ['spa', 'boat', 'walk', 'tea', 'show'];
    const ids: string[] = [];
    for (const deal_id of deals) {
      ids.push(await linked(user_id, deal_id));
      await service.forward(1);
    }
    await change(ids[0] ?? '', 'unlink');
    await redeem(ids[1] ?? '', { max_redemption: true });
    const all = ['show linked', 'tea linked', 'walk linked', 'boat fulfilled', 'spa unlinked'];
    expect(statesOf(await list(user_id))).toEqual(all);
    const pages = await Promise.all([1, 2, 3, 4].map((page) => list(user_id, `?per_page=2&page=${page}`)));
    expect(pages.map(statesOf)).toEqual([all.slice(0, 2), all.slice(2, 4), all.slice(4), []]);
    for (const [filter, states] of [
      ['linked', all.slice(0, 3)],
      ['unlinked', all.slice(4)],
      ['fulfilled', all.slice(3, 4)],
      ['fulfilled,unlinked', all.slice(3)],
      ['', all],
    ] as const) {
      expect(statesOf(await list(user_id, `?filter=${filter}`))).toEqual(states);
      expect((await list(user_id, `?filter=${filter}&count=true`)).body.count).toBe(states.length);
    }
    const refused = await list(user_id, '?filter=linked,lost');
    expect([refused.status, refused.text]).toEqual([
      422,
      validationFailed(
        fault('invalid', 'must be one of linked, unlinked, fulfilled', 'filter', 'card_link', 'element 2'),
      ),
    ]);
  });

  it('3.3.2, 3.3.3, 3.3.4, E4, 3.3: every other change of state is refused', async () => {
    const user_id = await newUser();
    const id = await linked(user_id);
    expect(refusal(await change(id, 'link'))).toEqual([422, 'update_failed', 'the card link is linked']);
    await change(id, 'unlink');
    expect(refusal(await change(id, 'unlink'))).toEqual([422, 'update_failed', 'the card link is unlinked']);
    expect(refusal(await redeem(id))).toEqual([422, 'redeem_failed', 'the card link is unlinked']);
    await change(id, 'link');
    await redeem(id, { max_redemption: true });
    for (const to of ['link', 'unlink'] as const) {
      expect(refusal(await change(id, to))).toEqual([422, 'update_failed', 'the card link is fulfilled']);
    }
    expect(refusal(await redeem(id, { transaction_reference: 'r-2' }))).toEqual([
      422,
      'redeem_failed',
      'the card link is fulfilled',
    ]);
    expect(statesOf(await list(user_id))).toEqual(['spa fulfilled']);
  });

  it('E4, C1: only a card-linked deal in flight can be linked, and linked again', async () => {
    const user_id = await newUser();
    const refused = async (deal_id: string): Promise<readonly unknown[]> => refusal(await link({ user_id, deal_id }));
    await service.newDeal('prepaid');
    expect(await refused('prepaid')).toEqual(notLinked('it is not card-linked'));
    const now = await timeOf(service);
    await offer('soon', { start_at: at(now + DAY), end_at: at(now + 9 * DAY) });
    expect(await refused('soon')).toEqual(notLinked('it is approved'));
    await offer('brief', { start_at: at(now - DAY), end_at: at(now + 3_600_000) });
    const id = await linked(user_id, 'brief');
    await change(id, 'unlink');
    await service.operate('POST', '/deals/brief/transitions', { to: 'paused' });
    expect(await refused('brief')).toEqual([200, undefined, undefined]);
    expect(refusal(await change(id, 'link'))).toEqual(notLinked('it is paused'));
    await service.operate('POST', '/deals/brief/transitions', { to: 'in-flight' });
    expect((await change(id, 'link')).status).toBe(200);
    await change(id, 'unlink');
    await service.forward(3_601);
    expect(refusal(await change(id, 'link'))).toEqual(notLinked('it is landed'));
  });

  it('E4: max_linkage users are linked; unlinking frees a place, and linking again needs one', async () => {
    await offer('narrow', { max_linkage: 1 });
    const [ann, bob] = [await newUser(), await newUser()];
    const id = await linked(ann, 'narrow');
    const full = notLinked('all its places are taken (1)');
    expect(refusal(await link({ user_id: bob, deal_id: 'narrow' }))).toEqual(full);
    expect(statesOf(await list(bob))).toEqual([]);
    await change(id, 'unlink');
    const other = await linked(bob, 'narrow');
    expect(refusal(await change(id, 'link'))).toEqual(full);
    await change(other, 'unlink');
    expect((await change(id, 'link')).body.card_link.state).toBe('linked');
    await redeem(id, { max_redemption: true });
    expect(refusal(await change(other, 'link'))).toEqual(full);
    await service.operate('PUT', '/deals/narrow', { max_linkage: 2 });
    expect((await change(other, 'link')).status).toBe(200);
  });

  it('E4: five places are raced for by 64 users, and a place that becomes free by twenty', async () => {
    await offer('hot', { max_linkage: 5 });
    const racers = await Promise.all(Array.from({ length: 64 }, () => newUser()));
    const answers = await Promise.all(racers.map((user_id) => link({ user_id, deal_id: 'hot' })));
    const won = answers.filter(({ status }) => status === 200);
    expect(won).toHaveLength(5);
    for (const answer of answers.filter(({ status }) => status !== 200)) {
      expect(refusal(answer)).toEqual(notLinked('all its places are taken (5)'));
    }
    const ids: readonly string[] = won.map(({ body }) => body.card_link.id as string);
    const ended = await Promise.all(Array.from({ length: 10 }, () => change(ids[0] ?? '', 'unlink')));
    expect(ended.filter(({ status }) => status === 200)).toHaveLength(1);
    const losers = racers.filter((_, index) => answers[index]?.status !== 200).slice(0, 20);
    const again = await Promise.all([
      ...losers.map((user_id) => link({ user_id, deal_id: 'hot' })),
      change(ids[0] ?? '', 'link'),
    ]);
    expect(again.filter(({ status }) => status === 200)).toHaveLength(1);
  });

  it('E3: of several deals all are linked or none, also when places are lost to races', async () => {
    for (const slug of ['left', 'right']) await offer(slug, { max_linkage: 5 });
    const racers = await Promise.all(Array.from({ length: 32 }, () => newUser()));
    const answers = await Promise.all(
      racers.map((user_id, index) =>
        link({ user_id, deal_ids: index % 2 === 0 ? ['left', 'right'] : ['right', 'left'] }),
      ),
    );
    const links = await Promise.all(racers.map((user) => list(user)));
    answers.forEach((answer, index) => {
      const has = links[index]?.body.card_links.length as number;
      expect([answer.status, has]).toEqual(answer.status === 200 ? [200, 2] : [422, 0]);
    });
    expect(answers.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(5);
    const rest = await Promise.all(racers.map((user_id) => link({ user_id, deal_id: 'left' })));
    expect(rest.filter(({ status }) => status === 200)).toHaveLength(5);
  });

  it('E3: nothing is linked if one of several deals is refused, and a link that was undone counts as never made', async () => {
    await offer('last', { max_linkage: 1 });
    const [ann, bob] = [await newUser(), await newUser()];
    const other = await linked(bob, 'last');
    const refused = await link({ user_id: ann, deal_ids: ['boat', 'last', 'walk'] });
    expect([refused.status, refused.body.error_type, refused.body.detail]).toEqual([
      422,
      'update_failed',
      expect.stringContaining('the deal is last'),
    ]);
    // All were checked before any was written: an answer after a write would have its position.
    expect(refused.headers['holdfast-position']).toBeUndefined();
    expect(statesOf(await list(ann))).toEqual([]);
    expect((await link({ user_id: ann, deal_ids: ['boat', 'nothing'] })).text).toBe(NO_DEAL);
    expect(statesOf(await list(ann))).toEqual([]);
    await change(other, 'unlink');
    const all = await link({ user_id: ann, deal_ids: ['boat', 'last', 'walk'] });
    expect(statesOf(all)).toEqual(['boat linked', 'last linked', 'walk linked']);
  });

  it('4.13.6, H1, E4: redemptions are events with amount, date, reference and the incentive that they earn', async () => {
    await offer('earn', {
      incentive_amount: null,
      incentive_percentage: 15,
      maximum_allowance: 1500,
      min_spend: 1000,
      num_qualifying: 2,
    });
    const id = await linked(await newUser(), 'earn');
    const amounts = [1999, 999, 1001, 2000, 1333];
    for (const [index, transaction_amount] of amounts.entries()) {
      await redeem(id, { transaction_amount, transaction_reference: `r-${index}` });
    }
    expect((await redeem(id, { transaction_amount: 1333, transaction_reference: 'r-4' })).status).toBe(200);
    const events = await eventsOf(service.dataDir);
    const redemptions = events.filter(({ type, stream }) => type === 'card-link-redeemed.v1' && stream.endsWith(id));
    expect(redemptions.map(({ data }) => data)).toEqual(
      [
        [1999, 1, 0],
        [999, 1, 0],
        [1001, 2, 150],
        [2000, 3, 0],
        [1333, 4, 199],
      ].map(([transaction_amount, qualifying, incentive], index) =>
        expect.objectContaining({
          transaction_amount,
          transaction_date: Date.parse('2026-01-31T17:00:00Z'),
          transaction_reference: `r-${index}`,
          max_redemption: false,
          qualifying,
          incentive,
        }),
      ),
    );
  });

  it('E4: the same transaction is counted once, and its reference never stands for another', async () => {
    const id = await linked(await newUser());
    const answers = await Promise.all(Array.from({ length: 10 }, () => redeem(id, { max_redemption: true })));
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`))).toEqual(
      new Set(['200 {"status":"success"}']),
    );
    // The same instant with another offset is the same date.
    expect((await redeem(id, { max_redemption: 'true', transaction_date: '2026-01-31T17:00:00Z' })).status).toBe(200);
    for (const more of [
      { transaction_amount: 2001 },
      { transaction_date: '2026-01-31T12:00:00' },
      { max_redemption: false },
    ]) {
      expect(refusal(await redeem(id, { max_redemption: true, ...more }))).toEqual([
        422,
        'redeem_failed',
        'the transaction_reference belongs to another redemption',
      ]);
    }
  });

  it('A8, 7.2, H1: one answer names everything that is missing or wrong', async () => {
    const user_id = await newUser();
    const missing = (...fields: readonly string[]): string =>
      validationFailed(...fields.map((field) => fault('missing_field', 'is missing', field, 'card_link')));
    expect((await link({})).text).toBe(missing('user_id', 'deal_id'));
    for (const deal_ids of [[], '']) expect((await link({ user_id, deal_ids })).text).toBe(missing('deal_id'));
    expect((await link({ user_id, deal_id: 'spa', deal_ids: 'tea' })).text).toBe(
      validationFailed(fault('invalid', 'must be absent if deal_id is sent', 'deal_ids', 'card_link')),
    );
    const tooMany = Array.from({ length: 101 }, (_, index) => `deal-${index}`);
    expect((await link({ user_id, deal_ids: tooMany })).text).toBe(
      validationFailed(fault('invalid', 'must have at most 100 elements', 'deal_ids', 'card_link')),
    );
    const id = await linked(user_id);
    const nothing = await service.ask('PUT', `/card_links/${id}/redeem`, { key: acme.key });
    expect([nothing.status, nothing.text]).toEqual([
      422,
      missing('transaction_amount', 'transaction_date', 'transaction_reference'),
    ]);
    const now = await timeOf(service);
    for (const [field, value] of [
      ['transaction_amount', -1],
      ['transaction_amount', 25.5],
      ['transaction_date', 'yesterday'],
      ['transaction_date', '2026-01-31'],
      ['transaction_date', '2026-02-30T12:00:00'],
      ['transaction_date', at(now + DAY + 60_000)],
      ['transaction_reference', 'x'.repeat(256)],
      ['max_redemption', 'perhaps'],
    ] as const) {
      const refused = await redeem(id, { [field]: value });
      expect([refused.status, refused.body.errors?.map(({ field: named }: Json) => named)]).toEqual([422, [field]]);
    }
    expect((await redeem(id, { transaction_date: at(now + DAY - 60_000) })).status).toBe(200);
  });

  it('A8: an unknown deal is a 404, whoever the user is', async () => {
    for (const user_id of [await newUser(), 'nobody']) {
      for (const deal_id of ['nothing', '__proto__', 'x'.repeat(4000)]) {
        const refused = await link({ user_id, deal_id });
        expect([refused.status, refused.text]).toEqual([404, NO_DEAL]);
      }
    }
  });

  it('A5, A8, E1: an unknown user, a deleted one and another partner’s have no links and get none', async () => {
    const [ann, eve] = [await newUser(), await newUser()];
    const id = await linked(eve);
    await hide(eve, true);
    for (const [user_id, key] of [
      ['nobody', acme.key],
      [eve, acme.key],
      [ann, rival.key],
    ] as const) {
      const refused = await link({ user_id, deal_id: 'spa' }, key);
      expect([refused.status, refused.text]).toEqual([422, UNKNOWN_USER]);
      const listed = await list(user_id, '', key);
      expect([listed.status, listed.text]).toEqual([404, NO_USER]);
    }
    for (const to of ['link', 'unlink'] as const) expect((await change(id, to)).text).toBe(NO_CARD_LINK);
    await hide(eve, false);
    expect(statesOf(await list(eve))).toEqual(['spa linked']);
  });

  it('A5, A8: an unknown card link and another partner’s get the same answer, and stay as they are', async () => {
    const user_id = await newUser();
    const id = await linked(user_id);
    for (const [unknown, key] of [
      ['nothing', acme.key],
      ['__proto__', acme.key],
      ['x'.repeat(4000), acme.key],
      [id, rival.key],
    ] as const) {
      for (const refused of [
        await change(unknown, 'link', key),
        await change(unknown, 'unlink', key),
        await redeem(unknown, {}, key),
      ]) {
        expect([refused.status, refused.text]).toEqual([404, NO_CARD_LINK]);
      }
    }
    expect(statesOf(await list(user_id))).toEqual(['spa linked']);
  });

  itOnEmbedded(
    'A11: a repeat after a crash neither links nor unlinks again when the link was changed meanwhile',
    async () => {
      const on = { service: await RunningService.start() };
      const { key } = await on.service.newPartner('acme');
      await on.service.newDeal('spa', { type: 'card-linked', max_linkage: 1 });
      const user_id = await on.service.newUser(key, 'ann@example.org');
      const body = { user_id, deal_id: 'spa' };
      const post = (headers = {}): Promise<Answer> => on.service.ask('POST', '/card_links', { key, body, headers });
      const put = (id: string, to: 'link' | 'unlink', headers = {}): Promise<Answer> =>
        on.service.ask('PUT', `/card_links/${id}/${to}`, { key, headers });
      const state = async (): Promise<string> =>
        (await on.service.ask('GET', `/users/${user_id}/card_links`, { key })).body.card_links[0].state as string;
      const [made, ended, again] = ['made', 'ended', 'again'].map((name) => ({ 'idempotency-key': name }));

      await breakOff(on, () => post(made));
      const { id } = (await post()).body.card_link;
      await put(id, 'unlink');
      const repeated = await post(made);
      expect([repeated.status, repeated.body.card_link.state, await state()]).toEqual([200, 'unlinked', 'unlinked']);

      await put(id, 'link');
      await breakOff(on, () => put(id, 'unlink', ended));
      await put(id, 'link');
      expect([(await put(id, 'unlink', ended)).status, await state()]).toEqual([200, 'linked']);

      await put(id, 'unlink');
      await breakOff(on, () => put(id, 'link', again));
      await put(id, 'unlink');
      expect([(await put(id, 'link', again)).status, await state()]).toEqual([200, 'unlinked']);
      await on.service.discard();
    },
  );
});
