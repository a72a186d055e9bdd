import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { buy, claim, reserve } from '../support/buying.js';
import { cardOf, DECLINED_CARD, GOOD_CARD } from '../support/cards.js';
import { RunningService, type Answer, type Json, type TestPartner } from '../support/running-service.js';

describe('G5.1: operators and auditors list everything', () => {
  let service: RunningService;
  let acme: TestPartner;
  let rival: TestPartner;
  const users: Record<string, string> = {};
  const bought: Json[] = [];
  let held: Json;
  let charged: Json;
  let resold: string;
  let declined: string;

  beforeAll(async () => {
    service = await RunningService.start();
    [acme, rival] = [await service.newPartner('acme'), await service.newPartner('rival')];
    await service.newDeal('lunch', {
      stock: 100,
      redemption_code_pool: ['=1+1', 'code-2', 'code-3', 'code-4', 'code-5', 'code-6'],
    });
    await service.newDeal('spa', { stock: null, merchant_id: 'harbor', title: 'A day at the spa' });
    for (const name of ['ann', 'ben'])
      users[name] = await service.newUser(acme.key, `${name}@example.com`, { first_name: name, last_name: 'Lee' });
    users['cat'] = await service.newUser(rival.key, 'cat@example.com');
    for (const name of ['ann', 'ben', 'ann'] as const)
      bought.push(await buy(service, acme.key, 'lunch', users[name] ?? ''));
    bought.push(await buy(service, rival.key, 'spa', users['cat'] ?? '', 2));
    held = await reserve(service, acme.key, 'spa', 3);
    const pay = (number: string): Promise<Answer> =>
      service.ask('POST', '/purchases/full', {
        key: acme.key,
        body: { deal_id: 'spa', quantity: 1, user_id: users['ann'], credit_card: cardOf(number) },
      });
    charged = (await pay(GOOD_CARD)).body.purchase;
    await pay(DECLINED_CARD);
    const { password } = await service.operate('POST', `/partners/${rival.id}/password`);
    const order = {
      transaction_reference: 'order 7',
      transaction_date: '2026-01-31T12:00:00Z',
      transaction_amount: 900,
    };
    const basic = `rival:${password}`;
    const body = { deal_id: 'spa', quantity: 1, first_name: 'Zoë', last_name: 'Lee', ...order };
    const resale = await service.ask('POST', '/api/v3/resellers/purchases', { basic, body });
    const coupon = await ask(`coupons/${resale.body.coupons[0].id}`);
    resold = coupon.body.purchase_id;
    [declined = ''] = await ids('purchases', '?state=declined');
  });
  afterAll(() => service.discard());

  const ask = (path: string, token = service.auditorToken): Promise<Answer> =>
    service.ask('GET', `/operators/${path}`, { token });
  const list = async (name: string, query = ''): Promise<readonly Json[]> => {
    const { status, body, text } = await ask(`${name}${query}`);
    if (status !== 200) throw new Error(text);
    expect([body.status, typeof body.examined]).toEqual(['success', 'number']);
    return body[name];
  };
  const idsOf = (items: readonly Json[]): readonly string[] => items.map(({ id }) => id);
  const ids = async (name: string, query = ''): Promise<readonly string[]> => idsOf(await list(name, query));

  it('purchases and reservations, newest first, with what support needs to see', async () => {
    const all = await list('purchases');
    expect(all).toHaveLength(8);
    expect(idsOf(all).slice(-4)).toEqual(idsOf([...bought]).toReversed());
    expect(all.find(({ id }) => id === bought[0]?.id)).toEqual({
      id: bought[0].id,
      partner_id: acme.id,
      user_id: users['ann'],
      deal_id: 'lunch',
      state: 'fulfilled',
      number_bought: 1,
      amount: 1000,
      last4: null,
      reference: null,
      coupons: 1,
      created_at: expect.stringMatching(/^\d{4}-.*Z$/),
    });
    expect(all.find(({ id }) => id === charged.id)).toMatchObject({ last4: '4242', state: 'fulfilled' });
  });

  it.each<[string, () => readonly string[]]>([
    ['?partner=rival', () => [resold, bought[3].id]],
    ['?deal_id=lunch', () => [bought[2].id, bought[1].id, bought[0].id]],
    ['?deal_id=lunch&partner=rival', () => []],
    ['?state=reserved', () => [held.id]],
    ['?state=declined&last4=0002', () => [declined]],
    ['?last4=4242', () => [charged.id]],
    ['?last4=9999', () => []],
    ['?reference=order+7', () => [resold]],
    ['?reference=order+8', () => []],
    ['?min_amount=3000', () => [held.id]],
    ['?max_amount=999', () => [resold]],
    ['?to=2020-01-01T00:00:00Z', () => []],
    ['?day=2020-01-01', () => []],
  ])('purchases%s selects', async (query, expected) => {
    const found = await ids('purchases', query);
    expect(found).toEqual(expected());
    expect(await ids('purchases', query.replace('partner=rival', `partner=${rival.id}`))).toEqual(found);
  });

  it('a user’s, and each filter of every list has an effect', async () => {
    expect(await ids('purchases', `?user_id=${users['ben']}`)).toEqual([bought[1].id]);
    expect(await ids('coupons', `?user_id=${users['ben']}`)).toEqual([bought[1].coupons[0].id]);
    expect(await ids('coupons', `?barcode=${bought[0].coupons[0].barcode.replace(/(....)/, '$1+')}`)).toEqual([
      bought[0].coupons[0].id,
    ]);
    expect(await ids('coupons', '?redemption_code=code-2')).toHaveLength(1);
    expect(await ids('coupons', '?state=redeemed')).toEqual([]);
    expect(await ids('coupons', '?state=valid&partner=rival')).toHaveLength(3);
    expect(await ids('reservations')).toEqual([held.id]);
    expect(await ids('reservations', '?partner=acme&deal_id=spa')).toEqual([held.id]);
    expect(await ids('reservations', '?partner=rival')).toEqual([]);
    expect(await ids('credit_cards', '?last4=4242')).toHaveLength(1);
    expect(await ids('credit_cards', `?user_id=${users['ann']}&deleted=true`)).toEqual([]);
    expect(await ids('users', '?partner=rival')).toEqual([users['cat']]);
    expect(await ids('users', '?deleted=true')).toEqual([]);
    expect(await ids('deals', '?merchant_id=harbor')).toEqual(['spa']);
    expect(await ids('deals', '?title=DAY+AT')).toEqual(['spa']);
    expect(await ids('deals', '?state=landed')).toEqual([]);
    expect((await ids('deals', '?region_id=testland&state=in-flight')).toSorted()).toEqual(['lunch', 'spa']);
    expect(await ids('regions', '?active=true')).toContain('testland');
    expect(await ids('regions', '?active=false')).not.toContain('testland');
  });

  it('users without personal data', async () => {
    const [ben, ann] = await list('users', '?partner=acme');
    expect([ann?.name, ann?.email]).toEqual(['a. L.', 'a…@example.com']);
    expect(ben?.id).toBe(users['ben']);
    expect(JSON.stringify(await list('users'))).not.toMatch(/ann|ben|cat@/);
  });

  it('the units of deals', async () => {
    const spa = (await list('deals')).find(({ id }) => id === 'spa');
    expect(spa).toMatchObject({ stock: null, held: 3, sold: 4, state: 'in-flight', merchant_id: 'harbor' });
  });

  it('pages follow one another without gaps, and say where they end', async () => {
    const all = await ids('purchases');
    const seen: string[] = [];
    for (let after = ''; ;) {
      const { body } = await ask(`purchases?limit=3${after}`);
      seen.push(...idsOf(body.purchases));
      if (body.next === null) break;
      after = `&after=${body.next}`;
    }
    expect(seen).toEqual(all);
    expect((await ask('purchases?limit=8')).body.next).toBeNull();
  });

  it('pages go on behind the longest name and id', async () => {
    const [name, slug] = ['東'.repeat(255), 'x'.repeat(200)];
    for (const region of [`${slug.slice(1)}1`, `${slug.slice(1)}2`])
      await service.operate('PUT', `/regions/${region}`, { name, time_zone: 'Asia/Tokyo' });
    const first = await ask('regions?limit=2');
    const second = await ask(`regions?limit=2&after=${first.body.next}`);
    expect([first.status, second.status, second.body.next]).toEqual([200, 200, null]);
    expect(idsOf([...first.body.regions, ...second.body.regions])).toEqual(await ids('regions'));
  });

  it('all in lines, of which the last says so, and as CSV that no spreadsheet runs', async () => {
    const lines = (await ask('coupons?format=ndjson&deal_id=lunch')).text
      .trimEnd()
      .split('\n')
      .map((each) => JSON.parse(each));
    expect(lines.at(-1)).toEqual({ end: { found: 3, examined: 3 } });
    expect(lines.slice(0, -1)).toEqual(await list('coupons', '?deal_id=lunch'));
    const csv = await ask('coupons?format=csv&deal_id=lunch');
    expect(csv.headers['content-type']).toBe('text/csv; charset=utf-8');
    const rows = csv.text.trimEnd().split('\n');
    expect(rows).toHaveLength(4);
    expect(rows[0]).toBe(
      'id,purchase_id,partner_id,user_id,deal_id,state,barcode,redemption_code,created_at,expires_at,redeemed_at,replaced_by',
    );
    expect(csv.text).toContain(",'=1+1,");
    expect((await ask('credit_cards?format=csv&last4=4242')).text).toContain(',visa,true,false,');
  });

  it.each([
    ['purchases?partner=nobody', 'partner'],
    ['purchases?deal_id=nothing', 'deal_id'],
    ['coupons?user_id=nobody', 'user_id'],
    ['purchases?format=csv&partner=nobody', 'partner'],
    ['subscriptions?region_id=nowhere', 'region_id'],
    ['purchases?partner=&state=fulfilled', 'partner'],
    ['purchases?after=', 'after'],
    [`purchases?after=${Buffer.from('["Boston","boston"]').toString('base64url')}`, 'after'],
    [`purchases?after=${Buffer.from('[1e400,"x"]').toString('base64url')}`, 'after'],
    [`regions?after=${Buffer.from('[1,"x"]').toString('base64url')}`, 'after'],
    ['purchases?after=x', 'after'],
    ['purchases?after=WzEsMl0', 'after'],
    ['purchases?limit=0', 'limit'],
    ['purchases?limit=1001', 'limit'],
    ['purchases?state=gone', 'state'],
    ['purchases?from=2026-01-01', 'from'],
    ['purchases?day=yesterday', 'day'],
    ['purchases?last4=42', 'last4'],
    ['purchases?min_amount=-1', 'min_amount'],
    ['purchases?format=xml', 'format'],
    ['coupons?barcode=12', 'barcode'],
  ])('%s is refused by name', async (path, field) => {
    const { status, body } = await ask(path);
    expect([status, body.error_type, body.errors?.[0]?.field]).toEqual([422, 'validation_failed', field]);
  });

  it('G5.4: a batch with what has become of each mail, and the batches of a user', async () => {
    const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
    const body = {
      deal_id: 'spa',
      user_ids: [users['ann'], users['ben']],
      mode: 'augment',
      send_at: `${tomorrow}T12:00:00Z`,
    };
    const { batch } = (await service.ask('POST', '/targeted_email/batches', { key: acme.key, body })).body;
    expect(await ids('batches', `?user_id=${users['ann']}`)).toEqual([batch.id]);
    expect(await ids('batches', `?user_id=${users['cat']}`)).toEqual([]);
    const waiting = { outcome: 'waiting', attempts: 0, reason: null, at: null };
    expect((await ask(`batches/${batch.id}`)).body).toMatchObject({
      batch: { id: batch.id, partner_id: acme.id, deal_id: 'spa', status: 'pending', recipients: 2 },
      mails: [users['ann'], users['ben']].map((user_id) => ({ user_id, ...waiting })),
    });
    expect((await ask('batches/nothing')).status).toBe(404);
    await service.ask('DELETE', `/targeted_email/batches/${batch.id}?deal_id=spa`, { key: acme.key });
    expect(await ids('batches', '?status=cancelled&partner=acme')).toEqual([batch.id]);
  });

  it('G5.3: imports that have changed something, with what they did; the same file again is none', async () => {
    const line = (slug: string): string =>
      JSON.stringify({ kind: 'region', slug, name: slug, time_zone: 'Europe/Rome' });
    const send = (body: string): Promise<Answer> =>
      service.ask('POST', '/operators/import', {
        token: service.operatorToken,
        body,
        headers: { 'content-type': 'application/x-ndjson' },
      });
    const file = `${line('rome')}\n${line('milan')}\n{"kind":"region"}\n`;
    await send(file);
    await send(file);
    const [found, ...others] = await list('imports');
    expect(others).toEqual([]);
    expect(found).toMatchObject({ state: 'ended', lines: 3, changed: 2, refused: 1, regions: 2, deals: 0 });
    const today = found?.created_at.slice(0, 10);
    expect(await ids('imports', `?day=${today}&actor=${encodeURIComponent(found?.actor)}`)).toEqual([found?.id]);
    expect(await ids('imports', '?actor=operator:nobody')).toEqual([]);
    expect(await ids('imports', '?day=2020-01-01')).toEqual([]);
  });

  it('G5.3: an import that takes longer than a call may is noted with its end', async () => {
    const line = (slug: string): Buffer =>
      Buffer.from(`${JSON.stringify({ kind: 'region', slug, name: slug, time_zone: 'Europe/Rome' })}\n`);
    async function* slowly(): AsyncGenerator<Buffer> {
      yield line('turin');
      // Longer than a call waits in all.
      await pause(6_000);
      yield line('genoa');
    }
    const answer = await fetch(`${service.url}/operators/import`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-ndjson', authorization: `Bearer ${service.operatorToken}` },
      body: ReadableStream.from(slowly()),
      duplex: 'half',
    });
    expect(answer.status).toBe(200);
    expect((await list('imports'))[0]).toMatchObject({ state: 'ended', changed: 2, regions: 2 });
  });

  it('shows what was written just before, whoever wrote it', async () => {
    const { id } = await reserve(service, rival.key, 'lunch', 1);
    expect(await ids('reservations', '?partner=rival')).toEqual([id]);
    await claim(service, rival.key, id, users['cat'] ?? '');
    expect(await ids('reservations', '?partner=rival')).toEqual([]);
  });
});
