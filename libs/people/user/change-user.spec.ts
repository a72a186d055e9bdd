import { verify } from '@node-rs/argon2';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { IN_A_LIFE } from '#kernel/bounds';
import { openPeopleEngine, type PeopleEngine } from '../../../test/support/people-engine.js';
import { ChangeUser, ChangeUserHandler } from './change-user.commands.js';
import { knownUser } from './change-user.js';
import { addressOf, createUser } from './create-user.js';
import { exchangeEmail } from './exchange-email.js';
import { newProfile } from './profile.js';
import type { UserChanged } from './user.events.js';
import type { UserChangeInput } from './user.schema.js';
import { PeopleSettings } from '../settings.js';
import { UserParts } from './user-parts.js';
import type { Engine } from '#platform';

describe('a user who is changed', () => {
  let opened: PeopleEngine;
  let userId: string;
  beforeEach(async () => {
    opened = await openPeopleEngine();
    const ann = newProfile({ email: 'ann@example.test', first_name: 'Ann' }, 0);
    userId = (await createUser(opened.engine, 'acme', ann, null, opened.context())).row;
  });
  afterEach(() => opened.close());

  const change = (given: Partial<UserChangeInput>, settings = opened.settings): Promise<unknown> => {
    const whole = { attributes: {}, deleted: undefined, password: null, ...given };
    return new ChangeUserHandler(partsOf(opened.engine), opened.engine.randomness, settings).execute(
      new ChangeUser('acme', userId, whole, opened.context()),
    );
  };

  it('E1: has the address that they hold in their profile, however many requests change it at once', async () => {
    const addresses = Array.from({ length: 20 }, (_, n) => `Ann-${n}@example.test`);
    await Promise.all(addresses.map((email, n) => change({ attributes: { email, last_name: `Lee ${n}` } })));
    const { state, profile } = await knownUser(opened.engine, 'acme', userId);
    expect(addresses).toContain(profile.email);
    expect(state.address).toBe(addressOf(opened.engine.keyring, 'acme', profile.email));
    expect(state).toMatchObject({ left: [], new_email: null });
    expect(profile.first_name).toBe('Ann');
  });

  it('E1: keeps the address of the later request, even if the earlier one ends after it', async () => {
    const slow = new PeopleSettings(0, { memory: 19_456, iterations: 25, parallelism: 1 });
    const first = change({ attributes: { email: 'first@example.test' }, password: 'secret' }, slow);
    await change({ attributes: { email: 'second@example.test' } });
    await first;
    const { state, profile } = await knownUser(opened.engine, 'acme', userId);
    expect(profile.email).toBe('second@example.test');
    expect(state.address).toBe(addressOf(opened.engine.keyring, 'acme', 'second@example.test'));
  });

  it('E1: has their address in the upper and lower case of the last change', async () => {
    await change({ attributes: { email: 'Ann@Example.test' } });
    expect((await knownUser(opened.engine, 'acme', userId)).profile.email).toBe('Ann@Example.test');
  });

  it('E1: keeps their address if the rest of the change is refused for its size', async () => {
    const attributes = { email: 'new@example.test', partner_data: { a: 'x'.repeat(600_000) } };
    await expect(change({ attributes })).rejects.toMatchObject({ code: 'too_large' });
    const { state, profile } = await knownUser(opened.engine, 'acme', userId);
    expect(profile.email).toBe('ann@example.test');
    expect(state).toMatchObject({ left: [], new_email: null });
  });

  it('has a bounded number of addresses: the next one is refused, and one of those is not', async () => {
    const { state, profile } = await knownUser(opened.engine, 'acme', userId);
    const takings: Record<string, number> = { ...state.takings };
    for (let number = 1; number < IN_A_LIFE.addresses; number += 1) takings[`address-${number}`] = 1;
    const known = { state: { ...state, takings }, profile };
    const exchange = (email: string): Promise<void> => exchangeEmail(opened.engine, known, email, opened.context());
    await expect(exchange('next@example.test')).rejects.toMatchObject({ code: 'emails_used_up' });
    await exchange('ann@example.test');
    takings[addressOf(opened.engine.keyring, 'acme', 'before@example.test')] = 1;
    await exchange('before@example.test');
    expect((await knownUser(opened.engine, 'acme', userId)).state.address).not.toBe(state.address);
  });

  it('E1: has a new password, and the event holds it as a sealed argon2id hash', async () => {
    const { log, personalData } = opened.engine;
    await change({ password: 'pässword' });
    const [event] = await log.readStream(`user-${userId}`, 1, 1);
    const { password } = event?.data as UserChanged;
    const phc = await personalData.open<{ password: string }>(userId, password ?? '');
    expect(await verify(phc?.password ?? '', 'pässword')).toBe(true);
    expect(JSON.stringify(event?.data)).not.toMatch(/argon2|pässword/);
  });
});

function partsOf({ writer, keyring, personalData }: Engine): UserParts {
  return new UserParts(writer, keyring, personalData);
}
