import { describe, expect, it } from '@jest/globals';
import { ValidationFailed } from '#http';
import { given, rowsOf } from '../../../test/support/given-when-then.js';
import { address } from './address.decider.js';
import type { AddressEvent, AddressStored } from './address.events.js';
import { newProfile } from '../user/profile.js';
import { presentAddress } from './address.present.js';
import { readAddress } from './address.schema.js';
import { addressesView } from './address.view.js';

const known = { address_id: 'a1', user_id: 'u1', partner_id: 'acme', address: 'sealed' };
const stored: AddressStored = { ...known, created_at: 77 };
const isStored: AddressEvent = { type: 'address-stored.v1', data: stored };

const home = {
  name: 'Ann',
  address_one: '1 Main Street',
  address_two: 'Suite 7',
  postal_code: '02114',
  city: 'Boston',
  state: 'MA',
  country: 'US',
};

describe('D13: a shipping address', () => {
  it('A11: is stored only once', () => {
    given(address).when({ type: 'store', address: known }, 77).then([isStored]);
    given(address, [isStored])
      .when({ type: 'store', address: { ...known, address: 'sealed again' } }, 99)
      .then([]);
  });

  it('I13: is removed once, and is the same one again when it is stored again', () => {
    const named = { address_id: 'a1', user_id: 'u1' };
    const removed: AddressEvent = { type: 'address-removed.v1', data: named };
    const restored: AddressEvent = { type: 'address-restored.v1', data: named };
    const again = { type: 'store', address: known } as const;
    given(address).when({ type: 'remove' }).then('not_found');
    given(address, [isStored]).when({ type: 'remove' }).then([removed]);
    given(address, [isStored, removed]).when({ type: 'remove' }).then([]);
    given(address, [isStored, removed]).when(again).then([restored]);
    given(address, [isStored, removed, restored]).when(again).then([]);
    const done = given(address, [isStored, removed, restored]).when({ type: 'remove' });
    done.then([removed]);
    expect(done.state).toEqual({ ...stored, removed: true });
  });

  it('stays sealed in its row', async () => {
    expect(await rowsOf(addressesView, [{ ...isStored, stream: 'address-a1' }])).toEqual({
      a1: { ...stored, removed: false },
    });
  });

  it('A2: is trimmed, with state and country in upper case; name and second line may be absent', () => {
    const { name: _, address_two: __, ...least } = home;
    expect(readAddress(home)).toEqual(home);
    expect(
      readAddress({ ...least, postal_code: 2114, city: ' Boston\n', state: 'ma', country: ' us', address_two: ' ' }),
    ).toEqual({ ...home, name: null, address_two: null, postal_code: '2114' });
  });

  it.each([undefined, null, 'home', [home]])('7.2: %j is refused: it is not an object', (given_) => {
    const fault = { type: 'invalid', message: 'must be an object', field: 'shipping_address' };
    expect(() => readAddress(given_)).toThrow(ValidationFailed);
    expect(() => readAddress(given_)).toThrow(
      expect.objectContaining({ entries: [{ ...fault, resource: 'shipping_address' }] }),
    );
  });

  it('A9: has its answer’s fields in the order of the interface, and shows nothing of an erased user', () => {
    expect(JSON.stringify(presentAddress('a1', home, null))).toBe(
      JSON.stringify({ id: 'a1', shipping_address_id: 'a1', ...home }),
    );
    expect(new Set(Object.values(presentAddress('a1', null, null)))).toEqual(new Set(['a1', null]));
  });

  it.each([
    [{ first_name: 'Ann', last_name: 'Lee' }, 'Ann Lee'],
    [{ first_name: null, last_name: 'Lee' }, 'Lee'],
    [{ first_name: null, last_name: null }, null],
  ])('D6: without a name of its own, shows the user’s: %j', (names, name) => {
    const user = newProfile({ email: 'ann@example.org', ...names }, 0);
    expect(presentAddress('a1', { ...home, name: null }, user)).toMatchObject({ name });
    expect(presentAddress('a1', { ...home, name: 'Bob' }, user)).toMatchObject({ name: 'Bob' });
  });
});
