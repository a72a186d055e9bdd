import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readLedger } from '#adapters/sandbox-gateway';
import { buyFull, cardOf, DECLINED_CARD, GOOD_CARD, NO_FUNDS_CARD, personOf, storeCard } from '../support/cards.js';
import { OTHER_PRICE, TOO_MANY, fault, validationFailed } from '../support/refusals.js';
import { RunningService, type Answer, type Json, type TestPartner } from '../support/running-service.js';

/** Interface 2.5, in its order. */
const KEYS =
  `id purchase_id deal_type deal_id price amount number_bought payment_state fulfillment_state created_at user_id
  credit_card_id deal coupons`.split(/\s+/);
const ADDRESS = { address_one: '1 Main St', postal_code: '02114', city: 'Boston', state: 'MA', country: 'US' };
const missing = (field: string, resource: string): string => fault('missing_field', 'is missing', field, resource);
const NO_CARD = '{"type":"missing","message":"missing credit card info","resource":"credit_card"}';
const NO_DEAL =
  '{"type":"not_found","message":"deal not found","resource":"deal",' +
  '"detail":"no deal has this deal_id: GET /v1/deals lists those on sale"}';
const DECLINED = 'no money was kept, and the units are free again: GET /purchases/<purchase_id> shows it';
const TAKEN = 'by a deleted user: update_by_email with is_deleted=false restores them';

describe('the full purchase', () => {
  let service: RunningService;
  let acme: TestPartner;
  let other: TestPartner;
  let ann: string;
  let annsCard: string;
  let bob: string;
  let hidden: string;
  let othersUser: string;
  let othersCard: string;

  beforeAll(async () => {
    service = await RunningService.start();
    acme = await service.newPartner('acme');
    other = await service.newPartner('other');
    await service.newDeal('spa', { title: 'Spa', image: '/spa.jpg', stock: null, end_at: '2036-01-01T00:00:00Z' });
    await service.newDeal('shipped', { fulfillment_method: 'shipped', stock: null });
    await service.newDeal('none-left', { stock: 0 });
    await service.newDeal('paused');
    await service.operate('POST', '/deals/paused/transitions', { to: 'paused' });
    await service.newDeal('three', { stock: 3, max_per_user: 2 });
    ann = await service.newUser(acme.key, 'ann@example.org');
    annsCard = await storeCard(service, acme.key, ann);
    bob = await service.newUser(acme.key, 'bob@example.org');
    hidden = await service.newUser(acme.key, 'hidden@example.org');
    await service.ask('PUT', `/users/${hidden}`, { key: acme.key, body: { is_deleted: true } });
    othersUser = await service.newUser(other.key, 'ann@example.org');
    othersCard = await storeCard(service, other.key, othersUser);
  });
  afterAll(() => service.discard());

  const buy = (body: Json, partner = acme): Promise<Answer> => buyFull(service, partner, body);
  const spa = (more: Json): Json => ({ deal_id: 'spa', quantity: 1, credit_card: cardOf(GOOD_CARD), ...more });
  const byAnn = (more: Json): Json => ({ user_id: ann, credit_card_id: annsCard, quantity: 1, ...more });
  const get = (path: string): Promise<Answer> => service.ask('GET', path, { key: acme.key });
  const userId = async (email: string): Promise<string> =>
    (await buy(spa({ user: personOf(email) }))).body.purchase.user_id;

  describe('4.6.1, 4.6: in one call', () => {
    it('4.6.1.1, 4.6.1.2, 2.5, 2.6, B6, A9: creates the user, stores the card, buys, and shows the coupons', async () => {
      const answer = await buy(spa({ quantity: 2, user: personOf('New@Example.org') }));
      expect(answer.status).toBe(200);
      const { purchase } = answer.body;
      expect(Object.keys(answer.body)).toEqual(['status', 'purchase']);
      expect(Object.keys(purchase)).toEqual(KEYS);
      expect(purchase).toMatchObject({
        deal_type: 'on-going',
        deal_id: 'spa',
        price: 1000,
        amount: 2000,
        number_bought: 2,
        payment_state: 'charged',
        fulfillment_state: 'fulfilled',
        deal: { id: 'spa', title: 'Spa', image_url: '/spa.jpg?size=medium' },
        coupons: [
          { state: 'valid', deal_id: 'spa' },
          { state: 'valid', deal_id: 'spa' },
        ],
      });
      const { user_id, credit_card_id } = purchase;
      expect((await get(`/purchases/${purchase.id}`)).text).toBe(answer.text);
      expect((await get(`/users/${user_id}`)).body.user).toMatchObject({
        id: user_id,
        firstname: 'Ann',
        lastname: 'Lee',
      });
      expect((await get(`/credit_cards?user_id=${user_id}`)).body.credit_cards).toEqual([
        {
          id: credit_card_id,
          credit_card_id,
          number: 'XXXX4242',
          type: 'visa',
          primary: true,
          deleted: false,
        },
      ]);
      expect((await get(`/users/${user_id}/coupons?count=true`)).body.count).toBe(2);
      expect((await get(`/users/${user_id}/purchases`)).body.purchases).toEqual([purchase]);
    });

    it('4.6.1.1, 4.6.1.2, D6: uses an existing user and card, the e-mail in upper or lower case, and ignores the password', async () => {
      const first = (await buy(spa({ user: personOf('twice@example.org') }))).body.purchase;
      for (const user of [{ email: 'TWICE@example.ORG' }, { email: 'twice@example.org', password: 'x' }]) {
        const again = await buy(
          spa({ user, credit_card: { ...cardOf('4242 4242 4242 4242'), month: 11, year: 2036 } }),
        );
        expect(again.body.purchase).toMatchObject({
          user_id: first.user_id,
          credit_card_id: first.credit_card_id,
        });
      }
      expect((await get(`/credit_cards?user_id=${first.user_id}&count=true`)).body.count).toBe(1);
    });

    it('4.6.1.1, 4.6.1.2: takes the ids of user and card, and A1: answers on every prefix', async () => {
      for (const path of ['/purchases/full', '/v1/purchases/full.json', '/api/v1/purchases/full']) {
        const body = byAnn({ deal_id: 'spa' });
        const answer = await service.ask('POST', `${path}?api_key=${acme.key}`, { body });
        expect(answer.body.purchase).toMatchObject({ user_id: ann, credit_card_id: annsCard });
      }
    });

    it('4.6.1.1, 4.6.1.2, A2: takes a number for its text, and pass for password', async () => {
      const { password, password_confirmation, ...rest } = personOf('numbers@example.org');
      const answer = await buy({
        deal_id: 'spa',
        quantity: '1',
        user: { ...rest, pass: password, pass_confirmation: password_confirmation },
        credit_card: { number: 4242424242424242, verification_value: 123, month: 1, year: 2036, zip_code: 10001 },
      });
      expect(answer.status).toBe(200);
    });

    it('4.6.1.3, D13, D6: stores the address, even if nothing is shipped; a later purchase can use it by its id', async () => {
      const user_id = await userId('addressed@example.org');
      const listed = async (): Promise<Json[]> =>
        (await get(`/users/${user_id}/shipping_addresses`)).body.shipping_addresses;
      const order = { deal_id: 'shipped', quantity: 1, user_id, credit_card: cardOf(GOOD_CARD) };
      expect((await buy({ ...order, shipping_address: ADDRESS })).status).toBe(200);
      expect(await listed()).toMatchObject([{ ...ADDRESS, name: 'Ann Lee' }]);
      const [{ shipping_address_id }] = (await listed()) as [Json];
      expect((await buy({ ...order, shipping_address_id })).status).toBe(200);
      expect((await buy({ ...order, deal_id: 'spa', shipping_address: { ...ADDRESS, city: 'Salem' } })).status).toBe(
        200,
      );
      expect(await listed()).toHaveLength(2);
    });
  });

  describe('D6, 7.2: an invalid request', () => {
    it('4.6.1.4, 7.2.3, 7.2.6: lists all errors in one answer, in the order user, card, purchase, address, deal, and stores nothing', async () => {
      const email = 'nobody@example.org';
      const answer = await buy({
        deal_id: 'no-such-deal',
        quantity: 'two',
        user: { email, password: 'four', password_confirmation: 'for', first_name: [] },
        credit_card: { number: '4242424242424241', verification_value: '1', month: '13', year: '35' },
        shipping_address: { address_one: '1 Main St', state: 'Mass', country: 'US' },
      });
      expect(answer.status).toBe(422);
      expect(answer.text).toBe(
        validationFailed(
          fault('invalid', 'must have at least 5 characters', 'password', 'user'),
          fault('invalid', 'does not match', 'password_confirmation', 'user'),
          fault('invalid', 'must be text', 'first_name', 'user'),
          fault('invalid', 'must be a card number', 'number', 'credit_card'),
          fault('invalid', 'must have 3 or 4 digits', 'verification_value', 'credit_card'),
          fault('invalid', 'must be a month, 01 to 12', 'month', 'credit_card'),
          fault('invalid', 'must be a year of four digits', 'year', 'credit_card'),
          missing('zip_code', 'credit_card'),
          fault('invalid', 'must be an integer', 'quantity', 'purchase'),
          missing('postal_code', 'shipping_address'),
          missing('city', 'shipping_address'),
          fault('invalid', 'must be two letters', 'state', 'shipping_address'),
          NO_DEAL,
        ),
      );
      expect((await service.ask('POST', '/users', { key: acme.key, body: { email } })).status).toBe(200);
    });

    it('4.6.1: with both an id and its section is refused, whoever they name', async () => {
      const { shipping_address_id } = (
        await service.ask('POST', '/shipping_addresses', { key: acme.key, body: { ...ADDRESS, user_id: ann } })
      ).body;
      const both = (section: string): string =>
        fault('invalid', `send ${section}_id or ${section}, not both`, section, section);
      const user = personOf('both@example.org');
      for (const [more, entries] of [
        [{ user }, [both('user')]],
        [{ credit_card: cardOf(GOOD_CARD) }, [both('credit_card')]],
        [{ shipping_address_id, shipping_address: ADDRESS }, [both('shipping_address')]],
        [
          { user, credit_card: cardOf(GOOD_CARD), shipping_address_id, shipping_address: ADDRESS },
          [both('user'), both('credit_card'), both('shipping_address')],
        ],
      ] as const) {
        const answer = await buy(byAnn({ deal_id: 'spa', ...more }));
        expect([answer.status, answer.text]).toEqual([422, validationFailed(...entries)]);
      }
      expect((await service.ask('POST', '/users', { key: acme.key, body: { email: user.email } })).status).toBe(200);
      // Empty values, as a form sends them, count as absent.
      expect((await buy(byAnn({ deal_id: 'spa', user: '', credit_card: '' }))).status).toBe(200);
    });

    it('7.2.1, 7.2.2, 4.6.1: without any parameter lists all that are missing', async () => {
      expect((await buy({})).text).toBe(
        validationFailed(
          missing('user', 'user'),
          NO_CARD,
          missing('deal_id', 'purchase'),
          missing('quantity', 'purchase'),
        ),
      );
    });

    it.each<[string, Json, string[]]>([
      ['an unknown user', { user_id: 'nobody' }, [fault('not_found', 'not found', 'user_id', 'user')]],
      ['a user that is not an object', { user: 'ann' }, [fault('invalid', 'must be an object', 'user', 'user')]],
      [
        'a user without a password',
        { user: { email: 'x@example.org' } },
        [missing('password', 'user'), missing('password_confirmation', 'user')],
      ],
      [
        'a user without an e-mail',
        { user: { password: '12345', password_confirmation: '12345' } },
        [missing('email', 'user')],
      ],
      [
        'E1: the e-mail of a hidden user',
        { user: personOf('HIDDEN@example.org') },
        [fault('invalid', 'has already been taken', 'email', 'user', TAKEN)],
      ],
      ['no card', { user: personOf('x@example.org'), credit_card: undefined }, [NO_CARD]],
      [
        'a card that is not an object',
        { user: personOf('x@example.org'), credit_card: '4242' },
        [fault('invalid', 'must be an object', 'credit_card', 'credit_card')],
      ],
      [
        'an unknown card',
        { user: personOf('x@example.org'), credit_card_id: 'none' },
        [fault('not_found', 'not found', 'credit_card_id', 'credit_card')],
      ],
      [
        'an address that is not an object',
        { user: personOf('x@example.org'), shipping_address: 'home' },
        [fault('invalid', 'must be an object', 'shipping_address', 'shipping_address')],
      ],
      [
        'an unknown address',
        { user: personOf('x@example.org'), shipping_address_id: 'none' },
        [fault('not_found', 'not found', 'shipping_address_id', 'shipping_address')],
      ],
      ['A8: an unknown deal', { user: personOf('x@example.org'), deal_id: 'no-such-deal' }, [NO_DEAL]],
      [
        'no address for a shipped deal',
        { user: personOf('x@example.org'), deal_id: 'shipped' },
        [missing('shipping_address', 'shipping_address')],
      ],
    ])('4.6.1.4, 7.2.6: %s: nothing is stored', async (_, more, entries) => {
      const answer = await buy(spa(more));
      expect([answer.status, answer.text]).toEqual([422, validationFailed(...entries)]);
      expect(await usersOf('x@example.org')).toBe(0);
    });

    /**
     * Whether the e-mail address has a user with cards: creates the user if needed, counts their cards, and frees the address.
     */
    async function usersOf(email: string): Promise<number> {
      const made = await service.ask('PUT', `/users/${email}/update_by_email`, { key: acme.key, body: {} });
      const { id } = made.body.user;
      const cards = (await get(`/credit_cards?user_id=${id}&count=true`)).body.count;
      await service.ask('PUT', `/users/${id}`, { key: acme.key, body: { email: `free-${id}@example.org` } });
      return cards;
    }

    it('7.2.5, E1, A5: hidden users, and users, cards and addresses of other partners, are unknown', async () => {
      for (const user_id of [hidden, othersUser]) {
        expect((await buy(spa({ user_id }))).text).toBe(
          validationFailed(fault('not_found', 'not found', 'user_id', 'user')),
        );
      }
      expect((await buy(byAnn({ deal_id: 'spa', credit_card_id: othersCard }))).text).toBe(
        validationFailed(fault('not_found', 'not found', 'credit_card_id', 'credit_card')),
      );
      const stored = await service.ask('POST', '/shipping_addresses', {
        key: other.key,
        body: { user_id: othersUser, ...ADDRESS },
      });
      const { shipping_address_id } = stored.body;
      expect((await buy(byAnn({ deal_id: 'spa', shipping_address_id }))).text).toBe(
        validationFailed(fault('not_found', 'not found', 'shipping_address_id', 'shipping_address')),
      );
    });

    it('7.2.4, A8, D13: cannot use another user’s card or address', async () => {
      const stored = await service.ask('POST', '/shipping_addresses', {
        key: acme.key,
        body: { user_id: ann, ...ADDRESS },
      });
      const { shipping_address_id } = stored.body;
      const notOwner = validationFailed(
        fault('not_owner', 'not owner', 'credit_card_id', 'credit_card'),
        fault('not_owner', 'not owner', 'shipping_address_id', 'shipping_address'),
      );
      for (const buyer of [{ user_id: bob }, { user: personOf('y@example.org') }]) {
        const body = { deal_id: 'spa', quantity: 1, ...buyer, credit_card_id: annsCard, shipping_address_id };
        expect((await buy(body)).text).toBe(notOwner);
      }
    });
  });

  describe('D6: an error in the purchase alone keeps user and card', () => {
    const refusal = (error_type: string, error_msg: string, ids: Json, ...errors: string[]): string => {
      const { user_id, credit_card_id, ...more } = ids;
      const entries = errors.length === 0 ? {} : { errors: errors.map((each): Json => JSON.parse(each)) };
      return JSON.stringify({ status: 'error', error_type, error_msg, user_id, credit_card_id, ...entries, ...more });
    };

    it.each<[string, Json, string, string, string[]]>([
      [
        'no quantity',
        { deal_id: 'spa', quantity: undefined },
        'validation_failed',
        'validation failed',
        [missing('quantity', 'purchase')],
      ],
      ['none', { deal_id: 'spa', quantity: 0 }, 'validation_failed', 'validation failed', [TOO_MANY(1000)]],
      [
        'more than 1000',
        { deal_id: 'spa', quantity: 1001 },
        'validation_failed',
        'validation failed',
        [TOO_MANY(1000)],
      ],
      [
        'more than can be',
        { deal_id: 'spa', quantity: 1e15 },
        'validation_failed',
        'validation failed',
        [TOO_MANY(1000)],
      ],
      [
        'more than max_per_user',
        { deal_id: 'three', quantity: 3 },
        'validation_failed',
        'validation failed',
        [TOO_MANY(2)],
      ],
      [
        'D5: another price',
        { deal_id: 'spa', expected_price_per_unit: 999 },
        'validation_failed',
        'validation failed',
        [OTHER_PRICE(1000)],
      ],
      [
        'D5: another price, and too many',
        { deal_id: 'three', quantity: 9, expected_price_per_unit: '1' },
        'validation_failed',
        'validation failed',
        [TOO_MANY(2), OTHER_PRICE(1000)],
      ],
      [
        'D5: a price that is none, and too many',
        { deal_id: 'three', quantity: 9, expected_price_per_unit: 'low' },
        'validation_failed',
        'validation failed',
        [
          TOO_MANY(2),
          fault('invalid', 'must be an integer in cents, such as 2500', 'expected_price_per_unit', 'purchase'),
        ],
      ],
      ['7.1: nothing left', { deal_id: 'none-left' }, 'cannot_fufill', 'nothing is left', []],
      [
        '7.1: a deal that does not sell',
        { deal_id: 'paused' },
        'cannot_fufill',
        'the deal does not sell: it is paused',
        [],
      ],
      [
        '7.1: a decline',
        { deal_id: 'spa', credit_card: cardOf(DECLINED_CARD) },
        'declined',
        'purchase declined: the card was declined',
        [],
      ],
      [
        '7.1: no funds',
        { deal_id: 'spa', credit_card: cardOf(NO_FUNDS_CARD) },
        'declined',
        'purchase declined: insufficient funds',
        [],
      ],
    ])('%s', async (title, more, error_type, error_msg, entries) => {
      const email = `${title.replace(/\W+/g, '-')}@example.org`;
      const answer = await buy({ quantity: 1, credit_card: cardOf(GOOD_CARD), user: personOf(email), ...more });
      const { user_id, credit_card_id, purchase_id } = answer.body;
      expect(answer.status).toBe(422);
      // A declined purchase exists, and callers can look it up.
      expect([error_type, typeof purchase_id]).toEqual([
        error_type,
        error_type === 'declined' ? 'string' : 'undefined',
      ]);
      const outcome = error_type === 'declined' ? { purchase_id, detail: DECLINED } : {};
      expect(answer.text).toBe(refusal(error_type, error_msg, { user_id, credit_card_id, ...outcome }, ...entries));
      // The caller sees it at once, although the call was refused.
      expect((await get(`/users/${user_id}`)).status).toBe(200);
      expect((await get(`/credit_cards?user_id=${user_id}`)).body.credit_cards).toMatchObject([{ id: credit_card_id }]);
    });

    it('comes early when the quantity is more than the user may still buy, or more than is left', async () => {
      const email = 'collector@example.org';
      const user = personOf(email);
      expect((await buy(spa({ deal_id: 'three', quantity: 1, user }))).status).toBe(200);
      expect((await buy(spa({ deal_id: 'three', quantity: 2, user }))).body.errors).toEqual([JSON.parse(TOO_MANY(1))]);
      expect((await buy(spa({ deal_id: 'three', quantity: 1, user }))).status).toBe(200);
      await service.newDeal('two-left', { stock: 2 });
      expect((await buy(spa({ deal_id: 'two-left', quantity: 3, user }))).body.errors).toEqual([
        JSON.parse(TOO_MANY(2)),
      ]);
      expect((await buy(spa({ deal_id: 'two-left', quantity: 2, user }))).status).toBe(200);
      expect((await buy(spa({ deal_id: 'two-left', quantity: 3, user }))).body.error_type).toBe('cannot_fufill');
    });

    it('D7: a decline returns the units, charges nothing, and still shows the purchase', async () => {
      await service.newDeal('last', { stock: 1 });
      const answer = await buy(spa({ deal_id: 'last', user_id: bob, credit_card: cardOf(DECLINED_CARD) }));
      expect(answer.body.error_type).toBe('declined');
      expect((await get(`/purchases/${answer.body.purchase_id}`)).body.purchase.payment_state).toBe('declined');
      expect((await service.look('/deals/last', acme.key)).body.deal).toMatchObject({ num_left: 1, number_sold: 0 });
      const [declined] = (await get(`/users/${bob}/purchases?per_page=1`)).body.purchases;
      expect(declined).toMatchObject({ payment_state: 'declined', fulfillment_state: 'cancelled', coupons: [] });
      expect((await buy(spa({ deal_id: 'last', user_id: bob }))).status).toBe(200);
    });
  });

  it('D8: the documented sample 424242424242424 is accepted with any date', async () => {
    const credit_card = { ...cardOf('424242424242424'), month: '01', year: '2011' };
    expect((await buy(spa({ user_id: bob, credit_card }))).status).toBe(200);
  });

  it('A11, D7: a repeat gets the same bytes and charges once; password and verification value may differ', async () => {
    const send = (body: Json): Promise<Answer> =>
      service.ask('POST', '/purchases/full', { key: acme.key, body, headers: { 'idempotency-key': 'once' } });
    const body = spa({ user: personOf('once@example.org') });
    const first = await send(body);
    const credit_card = { ...body.credit_card, verification_value: '999' };
    const again = await send({ ...body, credit_card, user: { ...body.user, password: 'another' } });
    expect([again.status, again.text]).toEqual([200, first.text]);
    expect((await send({ ...body, quantity: 2 })).status).toBe(422);
    const { id } = first.body.purchase;
    const lines = readLedger(join(service.dataDir, 'sandbox-gateway.jsonl')).filter(({ key }) => key === id);
    expect(lines).toMatchObject([{ kind: 'charge', amount: 1000, outcome: 'approved' }]);
  });
});
