import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { buy, reserve } from '../support/buying.js';
import { NO_USER, TAKEN_BY, fault, validationFailed } from '../support/refusals.js';
import { RunningService, type Answer, type Json, type TestPartner } from '../support/running-service.js';

const invalid = (field: string, message: string): object => ({ type: 'invalid', message, field, resource: 'user' });
const missing = (field: string): object => ({ type: 'missing_field', message: 'is missing', field, resource: 'user' });
const TAKEN = validationFailed({ ...invalid('email', 'has already been taken'), detail: TAKEN_BY });

describe('PUT /users/:user_id', () => {
  let service: RunningService;
  let acme: TestPartner;
  let rival: TestPartner;
  let names = 0;

  beforeAll(async () => {
    service = await RunningService.start();
    acme = await service.newPartner('acme');
    rival = await service.newPartner('rival');
    await service.newDeal('spa');
  });
  afterAll(() => service.discard());

  const change = (id: string, body: unknown, key = acme.key): Promise<Answer> =>
    service.ask('PUT', `/users/${id}`, { key, body });
  const show = (id: string, key = acme.key): Promise<Answer> => service.ask('GET', `/users/${id}`, { key });
  const newAddress = (): string => `person-${(names += 1)}@example.com`;
  const newUser = (email = newAddress(), more: object = {}): Promise<string> =>
    service.newUser(acme.key, email, { ...more });
  const isFree = async (email: string): Promise<boolean> =>
    (await service.ask('POST', '/users', { key: acme.key, body: { email } })).status === 200;

  it('4.9.3, 5.5, 4.9, 2.7, A2, A9: changes the given attributes, ignores empty ones, and answers like GET', async () => {
    const id = await newUser(newAddress(), { first_name: 'Ann', last_name: 'Lee', token: 't-1', source: 'app' });
    const answer = await change(id, {
      first_name: 'Anna',
      last_name: '',
      birthday: '1990-12-31',
      postal_code: 2114,
      partner_data: { tier: 'gold' },
      is_deleted: 'false',
      credits: 'is not changed here',
    });
    const user = { id, firstname: 'Anna', lastname: 'Lee', image_url: null, points: 0, token: 't-1' };
    expect([answer.status, answer.text]).toEqual([200, JSON.stringify({ status: 'success', user })]);
    expect((await show(id)).text).toBe(answer.text);
    const again = await change(id, { token: 't-2', source: 'web' });
    expect(again.body.user).toEqual({ ...user, token: 't-2' });
    for (const nothing of [{}, { token: 't-2' }]) expect((await change(id, nothing)).text).toBe(again.text);
    expect((await show(id)).text).toBe(again.text);
  });

  it('A11, 4.9: writes no event when nothing changes', async () => {
    const id = await newUser(newAddress(), { first_name: 'Ann' });
    const head = async (): Promise<string> => (await service.health()).body.log.head;
    const before = await head();
    expect((await change(id, { first_name: 'Ann', is_deleted: false })).status).toBe(200);
    expect(await head()).toBe(before);
  });

  it('A5, 7.1: answers 404 for an unknown user and for another partner’s', async () => {
    const id = await newUser();
    for (const [user, key] of [
      ['nobody', acme.key],
      [id, rival.key],
    ] as const) {
      for (const body of [{ first_name: 'Eve' }, { is_deleted: false }, { email: newAddress() }]) {
        const answer = await change(user, body, key);
        expect([answer.status, answer.text]).toEqual([404, NO_USER]);
      }
    }
    expect((await show(id)).body.user.firstname).toBeNull();
  });

  it('E1: keeps all concurrent changes of different attributes', async () => {
    const id = await newUser();
    const parts: Record<string, string>[] = [
      { first_name: 'Ann' },
      { last_name: 'Lee' },
      { token: 't-1' },
      { postal_code: '02114' },
      { source: 'app' },
      { email: newAddress() },
    ];
    const answers = await Promise.all(parts.map((body) => change(id, body)));
    expect(answers.map(({ status }) => status)).toEqual(parts.map(() => 200));
    expect((await show(id)).body.user).toMatchObject({ firstname: 'Ann', lastname: 'Lee', token: 't-1' });
  });

  it.each<readonly [object, ...object[]]>([
    [{ email: 'no address' }, invalid('email', 'must be an e-mail address: it has a blank or a control character')],
    [{ first_name: { a: 1 } }, invalid('first_name', 'must be text')],
    [{ birthday: '2021-02-29' }, invalid('birthday', 'must be a date such as 1990-12-31')],
    [{ partner_data: 'text' }, invalid('partner_data', 'must be an object')],
    [{ is_deleted: 'perhaps' }, invalid('is_deleted', 'must be true or false')],
    [{ pass: 'secret' }, missing('pass_confirmation')],
    [{ pass: 'secret', pass_confirmation: '' }, missing('pass_confirmation')],
    [{ password: 'secret' }, missing('password_confirmation')],
    [{ pass_confirmation: 'secret' }, missing('pass')],
    [{ password_confirmation: 'secret' }, missing('password')],
    [{ pass: 'four', pass_confirmation: 'four' }, invalid('pass', 'must have at least 5 characters')],
    [{ pass: 1234, pass_confirmation: 1234 }, invalid('pass', 'must have at least 5 characters')],
    [{ pass: '😀😀😀😀', pass_confirmation: '😀😀😀😀' }, invalid('pass', 'must have at least 5 characters')],
    [{ password: 'four', password_confirmation: 'four' }, invalid('password', 'must have at least 5 characters')],
    [{ pass: 'secret', pass_confirmation: 'Secret' }, invalid('pass_confirmation', 'does not match')],
    [{ password: 'secret', pass_confirmation: 'Secret' }, invalid('pass_confirmation', 'does not match')],
    [{ pass: 'secret', password_confirmation: 'Secret' }, invalid('password_confirmation', 'does not match')],
    [{ pass: ['secret'], pass_confirmation: ['secret'] }, invalid('pass', 'must be text')],
    [{ pass: 'secret', pass_confirmation: { a: 1 } }, invalid('pass_confirmation', 'does not match')],
    [
      { pass_confirmation: 'x', pass: 'four', is_deleted: 7, first_name: [], email: 'x' },
      invalid('email', 'must be an e-mail address: it has no @'),
      invalid('first_name', 'must be text'),
      invalid('is_deleted', 'must be true or false'),
      invalid('pass', 'must have at least 5 characters'),
      invalid('pass_confirmation', 'does not match'),
    ],
  ])(
    '8.7, 7.2, 8, A8: refuses %j with the names of the fields, in the order of the interface',
    async (body, ...errors) => {
      const id = await newUser(newAddress(), { last_name: 'Lee' });
      const answer = await change(id, { last_name: 'Changed', ...body });
      expect([answer.status, answer.text]).toEqual([422, validationFailed(...errors)]);
      expect((await show(id)).body.user.lastname).toBe('Lee');
    },
  );

  it('4.9.3, 8.7, E1, 8: sets a password under either name, and never shows or prints it', async () => {
    const id = await newUser();
    for (const body of [
      { pass: 'Wolke7-geheim', pass_confirmation: 'Wolke7-geheim' },
      { password: 'Wolke8-geheim', password_confirmation: 'Wolke8-geheim' },
      { password: 'Wolke8-geheim', pass_confirmation: 'Wolke8-geheim' },
      { pass: 12345, pass_confirmation: '12345' },
      { pass: '😀😀😀😀😀', pass_confirmation: '😀😀😀😀😀' },
    ]) {
      const answer = await change(id, body);
      expect([answer.status, Object.keys(answer.body.user)]).toEqual([
        200,
        ['id', 'firstname', 'lastname', 'image_url', 'points', 'token'],
      ]);
      for (const { text } of [answer, await show(id)]) expect(text).not.toMatch(/Wolke|argon2|pass/);
    }
    expect(service.printed).not.toMatch(/Wolke/);
  });

  describe('a change of e-mail address', () => {
    it('E1: takes the new address, in upper or lower case, and frees the old one before the answer', async () => {
      const [old, next] = [newAddress(), newAddress()];
      const id = await newUser(old, { first_name: 'Ann' });
      expect((await change(id, { email: next.toUpperCase(), last_name: 'Lee' })).body.user.lastname).toBe('Lee');
      expect(await isFree(next)).toBe(false);
      expect(await isFree(old)).toBe(true);
      expect((await show(id)).body.user).toMatchObject({ firstname: 'Ann', lastname: 'Lee' });
    });

    it('E1: to a taken address is refused and changes nothing; to another partner’s address it succeeds', async () => {
      const [old, next, theirs] = [newAddress(), newAddress(), newAddress()];
      const id = await newUser(old, { first_name: 'Ann' });
      await newUser(next);
      await service.newUser(rival.key, theirs);
      const answer = await change(id, { email: next.toUpperCase(), first_name: 'Eve', is_deleted: true });
      expect([answer.status, answer.text]).toEqual([422, TAKEN]);
      expect((await show(id)).body.user.firstname).toBe('Ann');
      expect((await change(id, { email: theirs })).status).toBe(200);
    });

    it('E1: to the same address in another case keeps it', async () => {
      const email = newAddress();
      const id = await newUser(email);
      for (const same of [email.toUpperCase(), email]) expect((await change(id, { email: same })).status).toBe(200);
      expect(await isFree(email)).toBe(false);
    });

    it('E1: and back again gives the user the first address and frees the second', async () => {
      const [first, second] = [newAddress(), newAddress()];
      const id = await newUser(first);
      for (const email of [second, first, second, first]) expect((await change(id, { email })).status).toBe(200);
      expect(await isFree(first)).toBe(false);
      expect(await isFree(second)).toBe(true);
    });

    it('E1: by twenty users to one address at once succeeds for exactly one', async () => {
      const old = Array.from({ length: 20 }, newAddress);
      const ids = await Promise.all(old.map((email) => newUser(email)));
      const email = newAddress();
      const answers = await Promise.all(ids.map((id) => change(id, { email })));
      expect(answers.map(({ status }) => status).toSorted()).toEqual([200, ...Array.from({ length: 19 }, () => 422)]);
      expect(new Set(answers.filter(({ status }) => status === 422).map(({ text }) => text))).toEqual(new Set([TAKEN]));
      const winner = answers.findIndex(({ status }) => status === 200);
      const free = await Promise.all(old.map(isFree));
      expect(free).toEqual(old.map((_, n) => n === winner));
    });

    it('E1: by one user to twenty addresses at once leaves the user one, and frees the others', async () => {
      const old = newAddress();
      const id = await newUser(old);
      const next = Array.from({ length: 20 }, newAddress);
      const answers = await Promise.all(next.map((email) => change(id, { email })));
      expect(answers.map(({ status }) => status)).toEqual(next.map(() => 200));
      expect((await Promise.all([old, ...next].map(isFree))).filter((free) => !free)).toHaveLength(1);
    });
  });

  describe('is_deleted', () => {
    let id: string;
    let email: string;
    let bought: Json;

    beforeAll(async () => {
      email = newAddress();
      id = await newUser(email, { first_name: 'Ann' });
      bought = await buy(service, acme.key, 'spa', id);
    });

    it('E1: hides the user everywhere until a change sets them back; they keep their address', async () => {
      const { text } = await show(id);
      const deleted = await change(id, { is_deleted: 'true' });
      expect([deleted.status, deleted.text]).toEqual([200, text]);
      for (const path of ['', '/purchases', '/coupons', '/shipping_addresses']) {
        const answer = await service.ask('GET', `/users/${id}${path}`, { key: acme.key });
        expect([path, answer.status, answer.text]).toEqual([path, 404, NO_USER]);
      }
      for (const body of [{}, { first_name: 'Eve' }, { is_deleted: true }, { email: newAddress() }]) {
        const answer = await change(id, body);
        expect([answer.status, answer.text]).toEqual([404, NO_USER]);
      }
      expect(await isFree(email)).toBe(false);

      const back = await change(id, { is_deleted: false, last_name: 'Lee' });
      expect(back.body.user).toMatchObject({ id, firstname: 'Ann', lastname: 'Lee' });
      expect((await show(id)).text).toBe(back.text);
      const { purchases } = (await service.look(`/users/${id}/purchases`, acme.key)).body;
      expect(purchases.map((purchase: Json) => purchase.id)).toEqual([bought.id]);
    });

    it('E1, A8: keeps a claim from finding the user', async () => {
      const user = await newUser();
      const { id: purchase } = await reserve(service, acme.key, 'spa');
      await change(user, { is_deleted: true });
      const claim = (): Promise<Answer> =>
        service.ask('PUT', `/purchases/${purchase}/claim`, { key: acme.key, body: { user_id: user } });
      const refused = await claim();
      expect([refused.status, refused.text]).toEqual([
        422,
        validationFailed(JSON.parse(fault('not_found', 'not found', 'user_id', 'user')) as object),
      ]);
      await change(user, { is_deleted: false });
      expect((await claim()).status).toBe(200);
    });
  });
});
