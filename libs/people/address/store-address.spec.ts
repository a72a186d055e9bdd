import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { newProfile } from '../user/profile.js';
import { user } from '../user/user.decider.js';
import { openPeopleEngine, type PeopleEngine } from '../../../test/support/people-engine.js';
import { address } from './address.decider.js';
import type { Address } from './address.schema.js';
import { RemoveAddress, RemoveAddressHandler } from './remove-address.commands.js';
import { StoreAddress, StoreAddressHandler } from './store-address.commands.js';

const HOME: Address = {
  name: 'Ann Lee',
  address_one: '1 Main St',
  address_two: null,
  postal_code: '02139',
  city: 'Cambridge',
  state: 'MA',
  country: 'US',
};

describe('A11, D13, I13: the repeat of a stored address that broke off', () => {
  let opened: PeopleEngine;
  const store = async (context = opened.context()): Promise<string> => {
    const { writer, keyring, personalData } = opened.engine;
    const command = new StoreAddress('acme', 'ann', HOME, context);
    return (await new StoreAddressHandler(writer, keyring, personalData).execute(command)).row;
  };
  const isRemoved = async (id: string): Promise<boolean | undefined> =>
    (await opened.engine.writer.read(address, id))?.removed;

  beforeEach(async () => {
    opened = await openPeopleEngine();
    const { loop, personalData, clock } = opened.engine;
    const profile = await personalData.seal('ann', newProfile({ email: 'ann@example.org' }, 0));
    const registered = { user_id: 'ann', partner_id: 'acme', profile, password: null, address: 'home', taking: 1 };
    const created_at = clock.now();
    await loop.execute(user, 'ann', { type: 'register', user: { ...registered, created_at } }, opened.context());
  });
  afterEach(() => opened.close());

  it('leaves it removed, if somebody has removed it since', async () => {
    const first = opened.context();
    const id = await store(first);
    await new RemoveAddressHandler(opened.engine.writer).execute(new RemoveAddress('acme', id, opened.context()));
    expect(await store({ ...first, resumed: true })).toBe(id);
    expect(await isRemoved(id)).toBe(true);
    expect(await store()).toBe(id);
    expect(await isRemoved(id)).toBe(false);
  });

  it('has its answer although the user was deleted since', async () => {
    const first = opened.context();
    const id = await store(first);
    const known = await opened.engine.writer.read(user, 'ann');
    if (known === null) throw new Error('Ann is registered');
    const change = { based_on: known.version, profile: known.profile, password: null, deleted: true } as const;
    await opened.engine.loop.execute(user, 'ann', { type: 'change', ...change }, opened.context());
    expect(await store({ ...first, resumed: true })).toBe(id);
    await expect(store()).rejects.toMatchObject({ code: 'user_not_found' });
  });

  it('stores it if the first try stored none', async () => {
    expect(await isRemoved(await store({ ...opened.context(), resumed: true }))).toBe(false);
  });
});
