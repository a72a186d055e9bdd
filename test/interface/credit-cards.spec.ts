import { breakOff } from '../support/break-off.js';
import { itOnEmbedded } from '../support/on-embedded.js';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { EmbeddedState } from '#adapters/embedded';
import { thisMachine } from '#adapters/machine';
import { readLedger } from '#adapters/sandbox-gateway';
import { loadMasterKey } from '#eventsourcing';
import { IN_A_LIFE } from '#kernel/bounds';
import { openCard } from '#people';
import { buyFull } from '../support/cards.js';
import { findIn, findInFolder } from '../support/canaries.js';
import { copyOf, eventsOf, remove as discardCopy } from '../support/data-folder.js';
import { fault, unableToFind, validationFailed } from '../support/refusals.js';
import {
  discardLeftovers,
  RunningService,
  type Answer,
  type Json,
  type TestPartner,
} from '../support/running-service.js';
import { workDone } from '../support/work-done.js';

const CARD = {
  number: '4000000000000028',
  verification_value: '937',
  month: '12',
  year: '2099',
  zip_code: '02139-canary',
};

/** A number that passes the Luhn check: 15 digits and the check digit. */
function cardNumber(index: number): string {
  const prefix = `4000${String(index).padStart(11, '0')}`;
  const sum = [...Array(15).keys()].reduce((total, at) => {
    const digit = Number(prefix.at(-1 - at));
    const counted = at % 2 === 0 ? 2 * digit : digit;
    return total + (counted > 9 ? counted - 9 : counted);
  }, 0);
  return `${prefix}${(10 - (sum % 10)) % 10}`;
}

describe('credit cards', () => {
  let service: RunningService;
  let acme: TestPartner;
  let other: TestPartner;

  beforeAll(async () => {
    service = await RunningService.start({ env: { LOG_LEVEL: 'debug' } });
    acme = await service.newPartner('acme');
    other = await service.newPartner('other');
  });
  afterAll(discardLeftovers);

  let users = 0;
  const newUser = (key = acme.key): Promise<string> => service.newUser(key, `user-${(users += 1)}@example.org`);
  const store = (body: unknown, key = acme.key): Promise<Answer> => service.ask('POST', '/credit_cards', { key, body });
  const list = (query: string, key = acme.key): Promise<Answer> =>
    service.ask('GET', `/credit_cards?${query}`, { key });
  const setDefault = (id: string, key = acme.key): Promise<Answer> =>
    service.ask('PUT', `/credit_cards/${encodeURIComponent(id)}/default`, { key });
  const entry = (type: string, message: string, field: string, resource = 'credit_card', detail?: string): string =>
    JSON.stringify({
      status: 'error',
      error_type: 'validation_failed',
      error_msg: 'validation failed',
      errors: [{ type, message, field, resource, detail }],
    });
  const UNKNOWN_USER = entry('not_found', 'not found', 'user_id', 'user', 'you have no user with this id');
  const UNABLE_TO_FIND = unableToFind('you have no credit card with this id');

  it('4.10.1 4.10.2 2.8.1 2.8.2 2.8.3 4.10 2.8 A9 B8 B2 D9: the first card is stored, and shown masked as the default', async () => {
    const user_id = await newUser();
    const made = await store({ user_id, ...CARD, number: '4000 0000-0000 0028' });
    expect([made.status, made.text]).toEqual([
      200,
      JSON.stringify({ status: 'success', credit_card_id: made.body.credit_card_id }),
    ]);
    const id: string = made.body.credit_card_id;
    expect(id).toMatch(/^[0-9a-f]{32}$/);
    const shown = await list(`user_id=${user_id}`);
    expect([shown.status, shown.text]).toEqual([
      200,
      `{"status":"success","credit_cards":[{"id":"${id}","credit_card_id":"${id}","number":"XXXX0028","type":"visa","primary":true,"deleted":false}]}`,
    ]);
  });

  it('A2 A1: month and year may be numbers, and parameters may come in the query, with every prefix', async () => {
    const user_id = await newUser();
    expect((await store({ user_id, ...CARD, month: 1, year: 2099, zip_code: 2139 })).status).toBe(200);
    for (const path of ['/v1/credit_cards', '/api/v1/credit_cards.json']) {
      const query = new URLSearchParams({ user_id, ...CARD }).toString();
      expect((await service.ask('POST', `${path}?${query}`, { key: acme.key })).status).toBe(200);
      expect((await service.ask('GET', path, { key: acme.key, body: { user_id } })).body.credit_cards).toHaveLength(1);
    }
  });

  it('D7: storing a card never asks the gateway, whose ledger gets no line, even for a card that it would decline', async () => {
    const user_id = await newUser();
    const ledger = (): readonly unknown[] => readLedger(join(service.dataDir, 'sandbox-gateway.jsonl'));
    const before = ledger().length;
    const stored = await store({ user_id, ...CARD, number: '4000000000000002' });
    expect(stored.status).toBe(200);
    expect(ledger()).toHaveLength(before);
    await service.newDeal('asks-the-gateway', { current_price: 1000 });
    const order = { deal_id: 'asks-the-gateway', quantity: 1, expected_price_per_unit: 1000 };
    const body = { ...order, user_id, credit_card_id: stored.body.credit_card_id };
    expect((await service.ask('POST', '/purchases', { key: acme.key, body })).body.error_type).toBe('declined');
    expect(ledger()).toHaveLength(before + 1);
  });

  it("D9: the same number of the same user is the same card; another user's is another card", async () => {
    const [ann, bob] = [await newUser(), await newUser()];
    const first = await store({ user_id: ann, ...CARD });
    const renewed = await store({ user_id: ann, ...CARD, year: '2098', number: CARD.number.replace(/(.{4})/g, '$1 ') });
    expect(renewed.body).toEqual(first.body);
    expect((await list(`user_id=${ann}&count=true`)).text).toBe('{"status":"success","count":1}');
    const elsewhere = await store({ user_id: bob, ...CARD });
    expect(elsewhere.body.credit_card_id).not.toBe(first.body.credit_card_id);
  });

  it('4.10.3 2.8.2 D9 4.10: exactly one of twenty cards stored at once is the default, until another becomes it', async () => {
    const user_id = await newUser();
    const made = await Promise.all(
      Array.from({ length: 20 }, (_, index) => store({ user_id, ...CARD, number: cardNumber(index) })),
    );
    expect(made.map(({ status }) => status)).toEqual(made.map(() => 200));
    expect(new Set(made.map(({ body }) => body.credit_card_id)).size).toBe(20);
    const primaries = async (): Promise<string[]> => {
      const cards: Json[] = (await list(`user_id=${user_id}`)).body.credit_cards;
      expect(cards).toHaveLength(20);
      return cards.filter(({ primary }) => primary === true).map(({ id }) => id as string);
    };
    const [before, ...more] = await primaries();
    expect(more).toEqual([]);
    const chosen: string = made.map(({ body }) => body.credit_card_id).find((id) => id !== before);
    for (const _ of ['once', 'again']) {
      const set = await setDefault(chosen);
      expect([set.status, set.text]).toEqual([200, '{"status":"success"}']);
      expect(await primaries()).toEqual([chosen]);
    }
    const all: string[] = made.map(({ body }) => body.credit_card_id);
    expect((await Promise.all(all.map((id) => setDefault(id)))).every(({ status }) => status === 200)).toBe(true);
    expect(await primaries()).toHaveLength(1);
  });

  it('4.10.1 4.1 A10 4.10: are listed newest first, in pages that do not overlap', async () => {
    const user_id = await newUser();
    const ids: string[] = [];
    for (let index = 0; index < 5; index += 1) {
      ids.push((await store({ user_id, ...CARD, number: cardNumber(100 + index) })).body.credit_card_id);
      await service.forward(1);
    }
    const page = async (query: string): Promise<string[]> =>
      ((await list(`user_id=${user_id}&${query}`)).body.credit_cards as Json[]).map(({ id }) => id as string);
    expect(await page('')).toEqual(ids.toReversed());
    expect([
      ...(await page('per_page=2')),
      ...(await page('per_page=2&page=2')),
      ...(await page('per_page=2&page=3')),
    ]).toEqual(ids.toReversed());
    expect(await page('per_page=2&page=4')).toEqual([]);
    expect((await list(`user_id=${user_id}&count=true&page=x`)).text).toBe('{"status":"success","count":5}');
    const impossible = await list(`user_id=${user_id}&per_page=1001`);
    expect([impossible.status, impossible.text]).toEqual([
      422,
      entry('invalid', 'must be an integer from 1 to 1000', 'per_page'),
    ]);
    expect((await list(`user_id=${await newUser()}`)).text).toBe('{"status":"success","credit_cards":[]}');
  });

  it.each([
    ['number', '4000000000000027', 'must be a card number'],
    ['month', '13', 'must be a month, 01 to 12'],
    ['year', '99', 'must be a year of four digits'],
    ['year', '2001', 'is past'],
    ['verification_value', '12', 'must have 3 or 4 digits'],
    ['zip_code', ['02139'], 'must be text'],
    ['user_id', { id: 1 }, 'must be text'],
  ])('7.2 A8 D9: %s %j is refused with the name of the field', async (field, value, message) => {
    const answer = await store({ user_id: await newUser(), ...CARD, [field]: value });
    expect([answer.status, answer.text]).toEqual([422, entry('invalid', message, field)]);
  });

  it('D9: a card of this year whose month has ended is refused for its month', async () => {
    const { now } = await service.operate('GET', '/clock');
    const today = new Date(Date.parse(now) - 12 * 3_600_000);
    const [year, month] = [today.getUTCFullYear(), today.getUTCMonth() + 1];
    const user_id = await newUser();
    expect((await store({ user_id, ...CARD, month, year })).status).toBe(200);
    const past = await store({
      user_id,
      ...CARD,
      month: month === 1 ? 12 : month - 1,
      year: month === 1 ? year - 1 : year,
    });
    expect([past.status, past.text]).toEqual([422, entry('invalid', 'is past', month === 1 ? 'year' : 'month')]);
  });

  it("D8: the interface's sample card is stored with any date", async () => {
    const user_id = await newUser();
    const made = await store({ user_id, ...CARD, number: '424242424242424', month: 1, year: 2012 });
    expect(made.status).toBe(200);
    expect((await list(`user_id=${user_id}`)).body.credit_cards[0].number).toBe('XXXX2424');
  });

  it('7.2 A8: one answer names everything that is missing', async () => {
    const answer = await store({});
    expect(answer.status).toBe(422);
    expect(answer.body.errors).toEqual(
      ['user_id', 'number', 'verification_value', 'month', 'year', 'zip_code'].map((field) => ({
        type: 'missing_field',
        message: 'is missing',
        field,
        resource: 'credit_card',
      })),
    );
    const unlisted = await list('');
    expect([unlisted.status, unlisted.text]).toEqual([422, entry('missing_field', 'is missing', 'user_id')]);
  });

  it('D6 D9: a user has at most 100 cards: the next is refused by name, also in a purchase, and one of those is not', async () => {
    const user_id = await newUser();
    await service.newDeal('hundred');
    const ids: string[] = [];
    for (let index = 0; index < IN_A_LIFE.cards; index += 1) {
      ids.push((await store({ user_id, ...CARD, number: cardNumber(index) })).body.credit_card_id);
    }
    const ledger = (): readonly unknown[] => readLedger(join(service.dataDir, 'sandbox-gateway.jsonl'));
    const before = ledger().length;
    const buy = (index: number, quantity = 1): Promise<Answer> => {
      const credit_card = { ...CARD, number: cardNumber(index) };
      return buyFull(service, acme, { deal_id: 'hundred', quantity, user_id, credit_card });
    };
    const detail = 'deleted cards count too: only a number that the user has stored before can be stored again';
    const full = fault('invalid', 'the user has had 100 cards', 'number', 'credit_card', detail);
    const refused = [422, validationFailed(full)];
    await service.ask('DELETE', `/credit_cards/${ids[3]}`, { key: acme.key });
    for (const answer of [await store({ user_id, ...CARD, number: cardNumber(100) }), await buy(100)]) {
      expect([answer.status, answer.text]).toEqual(refused);
    }
    expect((await buy(100, 99_999)).body.errors).toMatchObject([{ field: 'number' }, { field: 'quantity' }]);
    expect((await list(`user_id=${user_id}&deleted=true&count=true`)).body.count).toBe(IN_A_LIFE.cards);
    expect(ledger()).toHaveLength(before);
    const again = await store({ user_id, ...CARD, number: cardNumber(3) });
    expect([again.status, again.body.credit_card_id]).toEqual([200, ids[3]]);
    expect((await buy(4)).body.purchase.credit_card_id).toBe(ids[4]);
  });

  it("A5 A8: an unknown user and another partner's user get the same answer", async () => {
    const theirs = await newUser(other.key);
    for (const user_id of ['nobody', theirs, '__proto__', 'x'.repeat(4000)]) {
      for (const answer of [await store({ user_id, ...CARD }), await list(`user_id=${user_id}`)]) {
        expect([answer.status, answer.text]).toEqual([422, UNKNOWN_USER]);
      }
    }
  });

  it('E1: a hidden user has no cards and gets none, until a change sets them back', async () => {
    const user_id = await newUser();
    await store({ user_id, ...CARD });
    const hide = (is_deleted: boolean): Promise<Answer> =>
      service.ask('PUT', `/users/${user_id}`, { key: acme.key, body: { is_deleted } });
    await hide(true);
    const unknown = await list(`user_id=${'0'.repeat(32)}`);
    expect(unknown.status).toBe(422);
    for (const answer of [await list(`user_id=${user_id}`), await store({ user_id, ...CARD })]) {
      expect(answer.text).toBe(unknown.text);
    }
    await hide(false);
    expect((await list(`user_id=${user_id}&count=true`)).body.count).toBe(1);
  });

  it("A5 A8: an unknown card and another partner's card get the same answer, and stay as they are", async () => {
    const theirs = await newUser(other.key);
    await store({ user_id: theirs, ...CARD }, other.key);
    const second: string = (await store({ user_id: theirs, ...CARD, number: cardNumber(7) }, other.key)).body
      .credit_card_id;
    for (const id of ['nobody', second, '__proto__', 'x'.repeat(4000)]) {
      const answer = await setDefault(id);
      expect([answer.status, answer.text]).toEqual([404, UNABLE_TO_FIND]);
    }
    const cards: Json[] = (await list(`user_id=${theirs}`, other.key)).body.credit_cards;
    expect(cards.find(({ id }) => id === second).primary).toBe(false);
  });

  const remove = (id: string, key = acme.key): Promise<Answer> => service.ask('DELETE', `/credit_cards/${id}`, { key });
  const cardsOf = async (user_id: string, more = ''): Promise<Json[]> =>
    (await list(`user_id=${user_id}${more}`)).body.credit_cards;
  const twoCards = async (): Promise<readonly [user: string, first: string, second: string]> => {
    const user_id = await newUser();
    const [first, second] = [
      await store({ user_id, ...CARD }),
      await store({ user_id, ...CARD, number: cardNumber(9) }),
    ];
    return [user_id, first.body.credit_card_id, second.body.credit_card_id];
  };

  it('I13, 2.8.3: a deleted card reads so, is listed only if asked for, and the next newest is the default', async () => {
    const [user_id, first, second] = await twoCards();
    const answer = await remove(first);
    expect([answer.status, answer.text]).toEqual([200, '{"status":"success"}']);
    expect(answer.headers['holdfast-position']).toMatch(/^\d+$/);
    const shown = (cards: Json[]): Json[] => cards.map(({ id, primary, deleted }) => [id, primary, deleted]);
    expect(shown(await cardsOf(user_id))).toEqual([[second, true, false]]);
    const all = await cardsOf(user_id, '&deleted=true');
    expect(shown(all).toSorted()).toEqual(
      [
        [first, false, true],
        [second, true, false],
      ].toSorted(),
    );
    expect(all.find(({ id }) => id === first)).toMatchObject({ number: 'XXXX0028', type: 'visa' });
    expect((await list(`user_id=${user_id}&count=true`)).body.count).toBe(1);
    expect((await list(`user_id=${user_id}&count=true&deleted=true`)).body.count).toBe(2);
    expect(shown(await cardsOf(user_id, '&deleted=false'))).toEqual([[second, true, false]]);
    const unreadable = await list(`user_id=${user_id}&deleted=maybe`);
    expect([unreadable.status, unreadable.text]).toEqual([422, entry('invalid', 'must be true or false', 'deleted')]);
    expect((await setDefault(first)).text).toBe(UNABLE_TO_FIND);
    const again = await remove(first);
    expect([again.status, again.text, again.headers['holdfast-position']]).toEqual([200, answer.text, undefined]);
    expect((await remove(second)).status).toBe(200);
    expect(await cardsOf(user_id)).toEqual([]);
  });

  it('I13: the same number again is the same card, not deleted', async () => {
    const [user_id, first, second] = await twoCards();
    await remove(first);
    const again = await store({ user_id, ...CARD });
    expect(again.body.credit_card_id).toBe(first);
    expect((await cardsOf(user_id)).map(({ id, primary, deleted }) => [id, primary, deleted]).toSorted()).toEqual(
      [
        [first, false, false],
        [second, true, false],
      ].toSorted(),
    );
  });

  it('I13, D6: a deleted card buys nothing: its id is not found', async () => {
    await service.newDeal('cake', { stock: null });
    const [user_id, first] = await twoCards();
    const order = { deal_id: 'cake', quantity: 1, user_id, credit_card_id: first, expected_price_per_unit: 1000 };
    const buy = (path: string): Promise<Answer> => service.ask('POST', path, { key: acme.key, body: order });
    await remove(first);
    for (const path of ['/purchases', '/purchases/full']) {
      const refused = await buy(path);
      expect([refused.status, refused.body.errors]).toEqual([
        422,
        [
          expect.objectContaining({
            type: 'not_found',
            message: 'not found',
            field: 'credit_card_id',
            resource: 'credit_card',
          }),
        ],
      ]);
    }
    await store({ user_id, ...CARD });
    expect((await buy('/purchases')).status).toBe(200);
  });

  it('I13, A5, A8: an unknown card, another partner’s and a hidden user’s are 404, and stay as they are', async () => {
    const [user_id, first] = await twoCards();
    for (const [id, key] of [
      ['0'.repeat(32), acme.key],
      [first, other.key],
      ['constructor', acme.key],
    ] as const) {
      const refused = await remove(id, key);
      expect([refused.status, refused.text]).toEqual([404, UNABLE_TO_FIND]);
    }
    const hide = (is_deleted: boolean): Promise<Answer> =>
      service.ask('PUT', `/users/${user_id}`, { key: acme.key, body: { is_deleted } });
    await hide(true);
    expect((await remove(first)).text).toBe(UNABLE_TO_FIND);
    await hide(false);
    expect((await cardsOf(user_id)).map(({ deleted }) => deleted)).toEqual([false, false]);
  });

  itOnEmbedded('I13: the number of a deleted card leaves no byte in the vault’s file', async () => {
    const own = await RunningService.start();
    const { key } = await own.newPartner('acme');
    const user_id = await own.newUser(key, 'ann@example.org');
    const stored = await own.ask('POST', '/credit_cards', { key, body: { user_id, ...CARD } });
    const id: string = stored.body.credit_card_id;
    // The service holds its own file: a copy has the same bytes.
    const sealed = (): Buffer[] => {
      const copy = copyOf(own.dataDir);
      const database = new DatabaseSync(join(copy, 'state.db'));
      try {
        const rows = database.prepare('SELECT sealed FROM vault WHERE name = ?').all(id);
        return rows.map((row) => Buffer.from(row['sealed'] as Uint8Array));
      } finally {
        database.close();
        discardCopy(copy);
      }
    };
    const [before] = sealed();
    if (before === undefined) throw new Error('a stored card is in the vault');
    const onDisk = (): Buffer =>
      Buffer.concat(
        ['', '-wal']
          .map((end) => join(own.dataDir, `state.db${end}`))
          .filter(existsSync)
          .map((file) => readFileSync(file)),
      );
    expect(onDisk().includes(before)).toBe(true);
    expect((await own.ask('DELETE', `/credit_cards/${id}`, { key })).status).toBe(200);
    await workDone(own);
    await own.stop();
    expect(sealed().map((each) => each.every((byte) => byte === 0))).toEqual([true]);
    expect(onDisk().includes(before)).toBe(false);
    await own.discard();
  });

  it('A11: a repeat with another verification value is the same request, one with another card number is another', async () => {
    const body = { user_id: await newUser(), ...CARD };
    const ask = (more: object): Promise<Answer> =>
      service.ask('POST', '/credit_cards', {
        key: acme.key,
        body: { ...body, ...more },
        headers: { 'idempotency-key': 'store-1' },
      });
    const first = await ask({});
    expect((await ask({ verification_value: '111' })).text).toBe(first.text);
    expect((await ask({ number: cardNumber(8) })).status).toBe(422);
  });

  it('D9 A4: no file, event or log contains the number or the ZIP', async () => {
    const user_id = await newUser();
    const canaries = { number: '4000123456789017', verification_value: '8462', zip: 'ZIP-CANARY-WREN' };
    const card = { ...CARD, ...canaries, zip_code: canaries.zip };
    expect((await store({ user_id, ...card })).status).toBe(200);
    expect((await store({ user_id, ...card, month: 13 })).status).toBe(422);
    expect((await store({ user_id: 'nobody', ...card })).status).toBe(422);
    await service.ask('POST', '/credit_cards', { key: acme.key, body: `{"number":"${canaries.number}",` });
    await list(`user_id=${user_id}`);
    const events = (await eventsOf(service.dataDir)).filter(({ stream }) => stream === `wallet-${user_id}`);
    expect(events).toHaveLength(1);
    expect(Object.keys(events[0]?.data ?? {}).toSorted()).toEqual(
      ['brand', 'card_id', 'created_at', 'last4', 'number_hash', 'partner_id', 'primary', 'user_id'].toSorted(),
    );
    // Three or four digits can appear by chance: the verification value has a test of its own.
    const long = { number: canaries.number, zip: canaries.zip };
    expect(findInFolder(service.dataDir, long)).toEqual([]);
    expect(findIn('printed', Buffer.from(service.printed), long)).toEqual([]);
  });

  itOnEmbedded(
    'D9: only the vault has the number, with the latest expiry and ZIP, and never a verification value',
    async () => {
      const own = await RunningService.start();
      const { key } = await own.newPartner('acme');
      const user_id = await own.newUser(key, 'ann@example.org');
      const ask = (more: object): Promise<Answer> =>
        own.ask('POST', '/credit_cards', { key, body: { user_id, ...CARD, ...more } });
      const id: string = (await ask({})).body.credit_card_id;
      await ask({ month: 1, year: '2098', zip_code: 'elsewhere' });
      await own.stop();
      const master = loadMasterKey({ file: join(own.dataDir, 'master.key'), randomness: thisMachine.randomness });
      const state = await EmbeddedState.open(join(own.dataDir, 'state.db'), () => master);
      try {
        expect(await openCard(state.vault, id)).toEqual({
          number: CARD.number,
          month: '01',
          year: '2098',
          zip_code: 'elsewhere',
        });
        expect(await openCard(state.vault, 'nobody')).toBeUndefined();
      } finally {
        await state.close();
        await own.discard();
      }
    },
  );

  itOnEmbedded(
    'A11: a repeat after a crash does not set the default again when another card became it meanwhile',
    async () => {
      const on = { service: await RunningService.start() };
      const { key } = await on.service.newPartner('acme');
      const user_id = await on.service.newUser(key, 'ann@example.org');
      const ids: string[] = [];
      for (const number of [CARD.number, cardNumber(1)]) {
        const made = await on.service.ask('POST', '/credit_cards', { key, body: { user_id, ...CARD, number } });
        ids.push(made.body.credit_card_id);
      }
      const [first = '', second = ''] = ids;
      const headers = { 'idempotency-key': 'default-1' };
      const choose = (id: string, more: object = {}): Promise<Answer> =>
        on.service.ask('PUT', `/credit_cards/${id}/default`, { key, ...more });
      await breakOff(on, () => choose(second, { headers }));
      const isDefault = async (id: string): Promise<boolean> => {
        const { body } = await on.service.ask('GET', '/credit_cards', { key, body: { user_id } });
        return (body.credit_cards as Json[]).find((card) => card.id === id).primary as boolean;
      };
      expect(await isDefault(second)).toBe(true);
      expect((await choose(first)).status).toBe(200);
      const repeat = await choose(second, { headers });
      expect([repeat.status, repeat.text]).toEqual([200, '{"status":"success"}']);
      expect(await isDefault(first)).toBe(true);
      await on.service.discard();
    },
  );
});
