import { verify } from '@node-rs/argon2';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { thisMachine } from '#adapters/machine';
import { CommandLoop, type EventLog } from '#eventsourcing';
import { openGuard } from '../../../test/support/open-guard.js';
import { openPeopleEngine, type PeopleEngine } from '../../../test/support/people-engine.js';
import { addressOf, createUser, findUserByEmail } from './create-user.js';
import { email } from './email.decider.js';
import { hashPassword } from './passwords.js';
import { newProfile } from './profile.js';
import { user } from './user.decider.js';
import type { UserRegistered } from './user.events.js';

describe('a user who is created', () => {
  let opened: PeopleEngine;
  beforeEach(async () => {
    opened = await openPeopleEngine();
  });
  afterEach(() => opened.close());

  const ann = newProfile({ email: 'Ann@Example.test' }, 0);
  const hashed = async (): Promise<string> => 'a hash';

  it('E1: has an id derived from the command, and is found by their address in any case, within their partner only', async () => {
    const { engine, context } = opened;
    const { loop, keyring } = engine;
    const asked = context();
    const { row } = await createUser(engine, 'acme', ann, null, asked);
    expect(row).toBe(keyring.deriveId(asked.commandId, 0));
    expect(await loop.read(user, row)).toMatchObject({ partner_id: 'acme', deleted: false });
    expect(await findUserByEmail(engine.writer, engine.keyring, 'acme', 'ANN@example.test')).toBe(row);
    expect(await findUserByEmail(engine.writer, engine.keyring, 'rival', 'ann@example.test')).toBeNull();
    await expect(createUser(engine, 'acme', ann, hashed, context())).rejects.toMatchObject({ code: 'email_taken' });
  });

  it('E1: has a password, and events hold it as a sealed argon2id hash', async () => {
    const { engine, context } = opened;
    const { log, keyring, personalData } = engine;
    const { passwordHashing } = opened.settings;
    const { row } = await createUser(
      engine,
      'acme',
      ann,
      () => hashPassword('pässword', passwordHashing, engine.randomness),
      context(),
    );
    for (const stream of [`user-${row}`, `email-${addressOf(keyring, 'acme', 'ann@example.test')}`]) {
      const [event] = await log.readStream(stream, 0, 1);
      const { password } = event?.data as UserRegistered;
      const phc = await personalData.open<{ password: string }>(row, password ?? '');
      expect(await verify(phc?.password ?? '', 'pässword')).toBe(true);
      expect(JSON.stringify(event?.data)).not.toMatch(/argon2|pässword/);
    }
  });

  it('A11: is the same when the command runs again, and is not registered twice after changing their address', async () => {
    const { engine, context } = opened;
    const { loop, log, keyring } = engine;
    const asked = context();
    const { row } = await createUser(engine, 'acme', ann, hashed, asked);
    const from = addressOf(keyring, 'acme', ann.email);
    const exchange = { user_id: row, change_id: 'x', from, address: 'B', email: 'sealed' };
    await loop.execute(email, 'B', { type: 'exchange', ...exchange }, context());
    await loop.execute(user, row, { type: 'release' }, context());
    const head = await log.head();
    expect((await createUser(engine, 'acme', ann, hashed, { ...asked })).row).toBe(row);
    expect(await log.head()).toBe(head);
    expect(await findUserByEmail(engine.writer, engine.keyring, 'acme', ann.email)).toBeNull();
  });

  it('A11: is registered before a look-up by address finds them: the process may have crashed in between', async () => {
    const { engine, context } = opened;
    const { log, codec, clock, keyring, personalData } = engine;
    const broken = new CommandLoop({
      log: log as EventLog,
      codec,
      clock,
      followers: [],
      machine: thisMachine,
      guard: openGuard(),
    });
    const address = addressOf(keyring, 'acme', ann.email);
    const profile = await personalData.seal('ann', ann);
    const taking = { user_id: 'ann', partner_id: 'acme', profile, password: null, address };
    await broken.execute(email, address, { type: 'take', user: taking }, context());
    await broken.close();
    expect(await findUserByEmail(engine.writer, engine.keyring, 'acme', ann.email)).toBe('ann');
    expect(await engine.loop.read(user, 'ann')).toMatchObject({ partner_id: 'acme' });
  });
});
