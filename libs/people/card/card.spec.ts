import { describe, expect, it } from '@jest/globals';
import { ValidationFailed, type ErrorEntry } from '#http';
import { IN_A_LIFE } from '#kernel/bounds';
import { given, rowsOf, stateOf } from '../../../test/support/given-when-then.js';
import { brandOf } from './card.brand.js';
import type { CardStored, WalletEvent } from './card.events.js';
import { presentCard } from './card.present.js';
import { readCard } from './card.schema.js';
import { cardsView } from './card.view.js';
import { wallet } from './wallet.decider.js';

const newCard = (card_id: string, last4 = '0027') =>
  ({ card_id, user_id: 'u1', partner_id: 'acme', last4, brand: 'visa', number_hash: last4 }) as const;
const stored = (
  card_id: string,
  created_at: number,
  primary: boolean,
): { type: 'card-stored.v1'; data: CardStored } => ({
  type: 'card-stored.v1',
  data: { ...newCard(card_id), created_at, primary },
});
const defaultSet = (card_id: string, before: string): WalletEvent => ({
  type: 'default-card-set.v1',
  data: { user_id: 'u1', card_id, before },
});

describe('D9: a wallet', () => {
  it('makes the first card the default, and no later card', () => {
    given(wallet)
      .when({ type: 'store', card: newCard('c1'), life: 0 }, 77)
      .then([stored('c1', 77, true)]);
    given(wallet, [stored('c1', 77, true)])
      .when({ type: 'store', card: newCard('c2'), life: 0 }, 99)
      .then([stored('c2', 99, false)]);
    given(wallet, [stored('c1', 77, true), stored('c2', 99, false), defaultSet('c2', 'c1')])
      .when({ type: 'store', card: newCard('c3'), life: 0 }, 111)
      .then([stored('c3', 111, false)]);
  });

  it('stores the same card once', () => {
    given(wallet, [stored('c1', 77, true)])
      .when({ type: 'store', card: newCard('c1'), life: 0 }, 99)
      .then([]);
  });

  it('4.10: makes another card the default, and names the default before it', () => {
    const two = [stored('c1', 77, true), stored('c2', 99, false)];
    given(wallet, two)
      .when({ type: 'set-default', card_id: 'c2' })
      .then([defaultSet('c2', 'c1')]);
    given(wallet, two).when({ type: 'set-default', card_id: 'c1' }).then([]);
    given(wallet, [...two, defaultSet('c2', 'c1')])
      .when({ type: 'set-default', card_id: 'c2' })
      .then([]);
    given(wallet, [...two, defaultSet('c2', 'c1')])
      .when({ type: 'set-default', card_id: 'c1' })
      .then([defaultSet('c1', 'c2')]);
  });

  it('A8: refuses a card that is not in it', () => {
    given(wallet).when({ type: 'set-default', card_id: 'c1' }).then('not_found');
    for (const card_id of ['c2', 'constructor', '__proto__', '']) {
      given(wallet, [stored('c1', 77, true)])
        .when({ type: 'set-default', card_id })
        .then('not_found');
    }
  });

  it('has a bounded number of cards, deleted ones included: the next one is refused, and one of those is not', () => {
    const names = Array.from({ length: IN_A_LIFE.cards }, (_, number) => `c${number}`);
    const full = names.map((id, number) => stored(id, number, number === 0));
    const last = full.slice(0, -1);
    const gone: WalletEvent = {
      type: 'card-deleted.v1',
      data: { card_id: 'c7', user_id: 'u1', life: 0, next_default: null },
    };
    const store = (id: string, life = 0) => ({ type: 'store', card: newCard(id), life }) as const;
    given(wallet, last)
      .when(store('new'), 5)
      .then([stored('new', 5, false)]);
    for (const before of [full, [...full, gone]]) {
      given(wallet, before).when(store('new'), 5).then('cards_used_up');
      given(wallet, before).when(store('c8'), 5).then([]);
    }
    given(wallet, [...full, gone])
      .when(store('c7', 1), 5)
      .then([{ type: 'card-restored.v1', data: { card_id: 'c7', user_id: 'u1', life: 1, primary: false } }]);
  });

  it('4.10: holds all cards by their ids in its state', () => {
    const state = stateOf(wallet, [stored('c1', 77, true), stored('c2', 99, false), defaultSet('c2', 'c1')]);
    expect([...state.cards.keys()].toSorted()).toEqual(['c1', 'c2']);
    expect(state.primary).toBe('c2');
  });
});

describe('G12.1: the wallet of an erased user', () => {
  const gone: WalletEvent = {
    type: 'wallet-erased.v1',
    data: {
      user_id: 'u1',
      cards: [
        { card_id: 'c1', life: 0 },
        { card_id: 'c2', life: null },
      ],
    },
  };
  const two = [
    stored('c1', 77, true),
    stored('c2', 99, false),
    { type: 'card-deleted.v1', data: { card_id: 'c2', user_id: 'u1', life: 0, next_default: null } },
  ] satisfies WalletEvent[];

  it('has no last four digits, and takes no card and no change', async () => {
    given(wallet, two).when({ type: 'erase', user_id: 'u1' }).then([gone]);
    const after = [...two, gone];
    given(wallet, after).when({ type: 'erase', user_id: 'u1' }).then([]);
    given(wallet, after)
      .when({ type: 'store', card: newCard('c3'), life: 0 }, 5)
      .then('person_erased');
    given(wallet, after).when({ type: 'set-default', card_id: 'c1' }).then('not_found');
    given(wallet, after).when({ type: 'delete', card_id: 'c1' }).then('not_found');
    const { cards, primary } = stateOf(wallet, after);
    expect(primary).toBeNull();
    for (const card of cards.values()) expect(card).toMatchObject({ last4: '', brand: 'unknown', deleted: true });
    expect(
      await rowsOf(
        cardsView,
        after.map((event) => ({ ...event, stream: 'wallet-u1' })),
      ),
    ).toEqual({});
  });

  it('has each of its numbers destroyed: those of cards that were deleted before have their own work', async () => {
    const after = [...two, gone];
    expect([...stateOf(wallet, after).cards.values()].map(({ to_destroy }) => to_destroy)).toEqual([[0], [0]]);
    const note = { type: 'note-destroyed', card_id: 'c1', life: 0 } as const;
    const noted: WalletEvent = { type: 'card-number-destroyed.v1', data: { card_id: 'c1', user_id: 'u1', life: 0 } };
    given(wallet, after).when(note).then([noted]);
    given(wallet, [...after, noted])
      .when(note)
      .then([]);
  });

  it('can be one without cards', () => {
    const none: WalletEvent = { type: 'wallet-erased.v1', data: { user_id: 'u1', cards: [] } };
    given(wallet).when({ type: 'erase', user_id: 'u1' }).then([none]);
    given(wallet, [none])
      .when({ type: 'store', card: newCard('c1'), life: 0 }, 5)
      .then('person_erased');
  });
});

describe('I13: a card of a wallet that is deleted', () => {
  const deleted = (card_id: string, life = 0, next_default: string | null = null): WalletEvent => ({
    type: 'card-deleted.v1',
    data: { card_id, user_id: 'u1', life, next_default },
  });
  const restored = (card_id: string, life: number, primary: boolean): WalletEvent => ({
    type: 'card-restored.v1',
    data: { card_id, user_id: 'u1', life, primary },
  });
  const destroyed = (card_id: string, life: number): WalletEvent => ({
    type: 'card-number-destroyed.v1',
    data: { card_id, user_id: 'u1', life },
  });
  const three = [stored('c1', 77, true), stored('c2', 99, false), stored('c3', 99, false)];

  it.each<[string, WalletEvent[], string, WalletEvent[] | string]>([
    ['is not the default', three, 'c2', [deleted('c2')]],
    [
      'is the default: the newest other one becomes it, of equals the first of the list',
      three,
      'c1',
      [deleted('c1', 0, 'c2')],
    ],
    ['is the default, and the newest other one is deleted', [...three, deleted('c2')], 'c1', [deleted('c1', 0, 'c3')]],
    ['is the only one', [stored('c1', 77, true)], 'c1', [deleted('c1')]],
    ['is deleted already', [...three, deleted('c2')], 'c2', []],
    ['was stored again', [...three, deleted('c2'), restored('c2', 1, false)], 'c2', [deleted('c2', 1)]],
    ['is unknown', three, 'c9', 'not_found'],
    ['is unknown, in an empty wallet', [], 'constructor', 'not_found'],
  ])('%s', (_, before, card_id, expected) => {
    const done = given(wallet, before).when({ type: 'delete', card_id });
    if (typeof expected === 'string') done.then(expected as 'not_found');
    else done.then(expected);
  });

  it('does not become the default', () => {
    given(wallet, [...three, deleted('c2')])
      .when({ type: 'set-default', card_id: 'c2' })
      .then('not_found');
    given(wallet, [stored('c1', 77, true), deleted('c1')])
      .when({ type: 'set-default', card_id: 'c1' })
      .then('not_found');
  });

  it('is the same card again when its number is stored again, under its next life, and the default if there is none', () => {
    const again = (card_id: string, life: number) => ({ type: 'store', card: newCard(card_id), life }) as const;
    given(wallet, [...three, deleted('c1', 0, 'c2')])
      .when(again('c1', 1))
      .then([restored('c1', 1, false)]);
    given(wallet, [stored('c1', 77, true), deleted('c1')])
      .when(again('c1', 1))
      .then([restored('c1', 1, true)]);
    // Somebody has deleted or stored it meanwhile: its number is where nothing looks for it, and the caller tries again.
    given(wallet, [...three, deleted('c2')])
      .when(again('c2', 0))
      .then([]);
    given(wallet, [...three, deleted('c2'), restored('c2', 1, false)])
      .when(again('c2', 0))
      .then([]);
    given(wallet).when(again('c1', 1)).then([]);
    const state = stateOf(wallet, [...three, deleted('c1', 0, 'c2'), restored('c1', 1, false)]);
    expect(state.primary).toBe('c2');
    expect(state.cards.get('c1')).toMatchObject({ deleted: false, life: 1, created_at: 77 });
  });

  it('leaves the first new card the default, if there was no other', () => {
    given(wallet, [stored('c1', 77, true), deleted('c1')])
      .when({ type: 'store', card: newCard('c2'), life: 0 }, 99)
      .then([stored('c2', 99, true)]);
  });

  it('has each of its numbers destroyed once', () => {
    const note = (card_id: string, life: number) => ({ type: 'note-destroyed', card_id, life }) as const;
    const twice = [...three, deleted('c2'), restored('c2', 1, false), deleted('c2', 1)];
    given(wallet, twice)
      .when(note('c2', 0))
      .then([destroyed('c2', 0)]);
    given(wallet, twice)
      .when(note('c2', 1))
      .then([destroyed('c2', 1)]);
    given(wallet, [...twice, destroyed('c2', 0)])
      .when(note('c2', 0))
      .then([]);
    for (const [card_id, life] of [
      ['c1', 0],
      ['c2', 2],
      ['c9', 0],
    ] as const)
      given(wallet, twice).when(note(card_id, life)).then([]);
  });

  it('reads deleted in its row until it is stored again, and the next default reads so', async () => {
    const rows = async (...events: WalletEvent[]) => {
      const all = await rowsOf(
        cardsView,
        events.map((event) => ({ ...event, stream: 'wallet-u1' })),
      );
      return Object.entries(all).map(([id, row]) => [id, row.primary, row.deleted]);
    };
    const gone = [...three, deleted('c1', 0, 'c2'), deleted('c3')];
    expect(await rows(...gone)).toEqual([
      ['c1', false, true],
      ['c2', true, false],
      ['c3', false, true],
    ]);
    expect(await rows(...gone, restored('c1', 1, false), destroyed('c1', 0))).toEqual([
      ['c1', false, false],
      ['c2', true, false],
      ['c3', false, true],
    ]);
  });
});

describe('cards', () => {
  it('4.10: have one row each, and one of them is the default', async () => {
    const events = [stored('c1', 77, true), stored('c2', 99, false), stored('c3', 99, false), defaultSet('c3', 'c1')];
    const rows = await rowsOf(
      cardsView,
      events.map((event) => ({ ...event, stream: 'wallet-u1' })),
    );
    expect(rows).toEqual({
      c1: { ...newCard('c1'), created_at: 77, primary: false, deleted: false },
      c2: { ...newCard('c2'), created_at: 99, primary: false, deleted: false },
      c3: { ...newCard('c3'), created_at: 99, primary: true, deleted: false },
    });
  });

  it('2.8 B8 A9: have their answer’s fields in the order of the interface, and show only the last four digits', () => {
    expect(JSON.stringify(presentCard({ ...stored('c1', 77, true).data, deleted: false }))).toBe(
      '{"id":"c1","credit_card_id":"c1","number":"XXXX0027","type":"visa","primary":true,"deleted":false}',
    );
  });

  it.each([
    ['4242424242424242', 'visa'],
    ['5555555555554444', 'mastercard'],
    ['2221000000000009', 'mastercard'],
    ['2720990000000007', 'mastercard'],
    ['2720000000000005', 'mastercard'],
    ['2721000000000004', 'unknown'],
    ['2220990000000002', 'unknown'],
    ['378282246310005', 'amex'],
    ['341111111111111', 'amex'],
    ['6011111111111117', 'discover'],
    ['6445644564456445', 'discover'],
    ['6500000000000002', 'discover'],
    ['30569309025904', 'diners'],
    ['3095000000000006', 'diners'],
    ['36227206271667', 'diners'],
    ['38520000023237', 'diners'],
    ['3530111333300000', 'jcb'],
    ['3589000000000003', 'jcb'],
    ['3527000000000008', 'unknown'],
    ['6200000000000005', 'unionpay'],
    ['8171999927660000', 'unionpay'],
    ['6759649826438453', 'maestro'],
    ['5018000000000009', 'maestro'],
    ['5400000000000005', 'mastercard'],
    ['9999999999999995', 'unknown'],
  ])('2.8 B8: the network of %s is %s', (number, brand) => {
    expect(brandOf(number)).toBe(brand);
  });
});

describe('D9: a card as a caller sends it', () => {
  const NOW = Date.parse('2027-05-15T12:00:00Z');
  const good = { number: '4242424242424242', verification_value: '123', month: '05', year: '2027', zip_code: '02139' };
  const details = { number: '4242424242424242', month: '05', year: '2027', zip_code: '02139' };

  const faults = (card: unknown, now = NOW): readonly ErrorEntry[] => {
    try {
      readCard(card, now);
      return [];
    } catch (error) {
      expect(error).toBeInstanceOf(ValidationFailed);
      return (error as ValidationFailed).entries;
    }
  };
  const invalid = (field: string, message: string): ErrorEntry => ({
    type: 'invalid',
    message,
    field,
    resource: 'credit_card',
  });
  const missing = (field: string): ErrorEntry => ({
    type: 'missing_field',
    message: 'is missing',
    field,
    resource: 'credit_card',
  });

  it('is split into the details to store and the verification value', () => {
    expect(readCard({ ...good, extra: 'unheard' }, NOW)).toEqual({ details, verification_value: '123' });
  });

  it.each([
    [{ month: 5, year: 2027, verification_value: 1234, zip_code: 2139 }, { zip_code: '2139' }],
    [{ month: '5' }, {}],
    [{ month: 12 }, { month: '12' }],
    [{ number: 4242424242424242 }, {}],
    [{ number: '4242 4242-4242 4242' }, {}],
    [{ number: '4222222222222' }, { number: '4222222222222' }],
    [{ zip_code: '12345678901234567890' }, { zip_code: '12345678901234567890' }],
    [{ number: '6304000000000000000' }, { number: '6304000000000000000' }],
    [{ number: '378282246310005', verification_value: '0000' }, { number: '378282246310005' }],
  ])('A2: %j is read as text', (part, read) => {
    expect(readCard({ ...good, ...part }, NOW).details).toEqual({ ...details, ...read });
  });

  it.each([
    ['number', '4242424242424241', 'must be a card number'],
    ['number', '424242424242', 'must be a card number'],
    ['number', '42424242424242424242', 'must be a card number'],
    ['number', '4242x4242424242424', 'must be a card number'],
    ['number', '4242\t424242424242', 'must be a card number'],
    ['number', ' - ', 'must be a card number'],
    ['number', 4e18, 'must be sent as a String'],
    ['number', { $gt: '' }, 'must be a card number'],
    ['number', null, 'must be a card number'],
    ['number', ['4242424242424242'], 'must be a card number'],
    ['verification_value', '12', 'must have 3 or 4 digits'],
    ['verification_value', '12345', 'must have 3 or 4 digits'],
    ['verification_value', '12a', 'must have 3 or 4 digits'],
    ['verification_value', 12, 'must have 3 or 4 digits'],
    ['verification_value', true, 'must have 3 or 4 digits'],
    ['month', '13', 'must be a month, 01 to 12'],
    ['month', 0, 'must be a month, 01 to 12'],
    ['month', '00', 'must be a month, 01 to 12'],
    ['month', '005', 'must be a month, 01 to 12'],
    ['month', 1.5, 'must be sent as a String'],
    ['number', 2 ** 60, 'must be sent as a String'],
    ['month', 'May', 'must be a month, 01 to 12'],
    ['year', '27', 'must be a year of four digits'],
    ['year', 20270, 'must be a year of four digits'],
    ['year', '20-7', 'must be a year of four digits'],
    ['zip_code', {}, 'must be text'],
    ['zip_code', true, 'must be text'],
    ['zip_code', '1'.repeat(21), 'must have at most 20 characters'],
    ['zip_code', 10 ** 20, 'must be sent as a String'],
  ])('7.2: %s %j is refused, and the message does not repeat it', (field, value, message) => {
    expect(faults({ ...good, [field]: value })).toEqual([invalid(field, message)]);
  });

  it('7.2: all faults are reported together, in order', () => {
    const fields = ['number', 'verification_value', 'month', 'year', 'zip_code'];
    expect(faults({})).toEqual(fields.map(missing));
    expect(faults(Object.fromEntries(fields.map((field) => [field, ''])))).toEqual(fields.map(missing));
    expect(faults({ number: '1', year: '2020', month: '05' })).toEqual([
      invalid('number', 'must be a card number'),
      missing('verification_value'),
      invalid('year', 'is past'),
      missing('zip_code'),
    ]);
  });

  it.each([undefined, null, 'card', 7, [good]])('7.2: %j is not a card', (card) => {
    expect(faults(card)).toEqual([invalid('credit_card', 'must be an object')]);
  });

  it.each([
    ['05', '2027', '2027-05-31T23:59:59Z', []],
    ['05', '2027', '2027-06-01T11:59:59.999Z', []],
    ['05', '2027', '2027-06-01T12:00:00Z', [invalid('month', 'is past')]],
    ['04', '2027', '2027-05-15T12:00:00Z', [invalid('month', 'is past')]],
    ['12', '2026', '2027-01-01T11:59:59.999Z', []],
    ['12', '2026', '2027-01-01T12:00:00Z', [invalid('year', 'is past')]],
    ['12', '2026', '2027-05-15T12:00:00Z', [invalid('year', 'is past')]],
    ['01', '0099', '2027-05-15T12:00:00Z', [invalid('year', 'is past')]],
    ['01', '2028', '2027-05-15T12:00:00Z', []],
  ])('is valid until its month has ended everywhere: %s/%s at %s', (month, year, now, expected) => {
    expect(faults({ ...good, month, year }, Date.parse(now))).toEqual(expected);
  });

  it('D8: the sample number of the interface is accepted with any date; its other fields are checked', () => {
    const sample = { ...good, number: '424242424242424', month: '01', year: '2012' };
    expect(readCard(sample, NOW).details).toMatchObject({ number: '424242424242424', month: '01', year: '2012' });
    expect(faults({ ...sample, month: 13 })).toEqual([invalid('month', 'must be a month, 01 to 12')]);
    expect(faults({ ...sample, zip_code: '' })).toEqual([missing('zip_code')]);
  });
});
