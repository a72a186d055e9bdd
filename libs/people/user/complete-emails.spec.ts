import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { streamName, type Decider, type EventBody } from '#kernel';
import { openPeopleEngine, type PeopleEngine } from '../../../test/support/people-engine.js';
import { ChangeUser, ChangeUserHandler } from './change-user.commands.js';
import { knownUser } from './change-user.js';
import { addressOf, createUser, findUserByEmail } from './create-user.js';
import { email } from './email.decider.js';
import { newProfile } from './profile.js';
import { UpdateByEmail, UpdateByEmailHandler } from './update-by-email.commands.js';
import { user } from './user.decider.js';
import { UserParts } from './user-parts.js';
import type { Engine } from '#platform';

const ANN = newProfile({ email: 'ann@example.test' }, 0);

describe('A11, E1: a process decided about an address and died before its followers wrote, and no worker runs', () => {
  let opened: PeopleEngine;
  beforeEach(async () => {
    opened = await openPeopleEngine();
  });
  afterEach(() => opened.close());

  async function decide<C, S, E extends EventBody>(
    decider: Decider<C, S, E>,
    id: string,
    command: C,
    context = opened.context(),
  ): Promise<void> {
    const other = opened.otherLoop([]);
    const { events } = await other.execute(decider, id, command, context);
    await other.close();
    expect(events).not.toEqual([]);
  }

  const at = (address: string): string => addressOf(opened.engine.keyring, 'acme', address);
  const types = async (category: string, id: string): Promise<readonly string[]> =>
    (await opened.engine.log.readStream(streamName(category, id), 0, 100)).map(({ type }) => type);

  /** Takes the address for the user of a command, without registering them. */
  async function taken(context = opened.context()): Promise<string> {
    const { keyring, personalData } = opened.engine;
    const user_id = keyring.deriveId(context.commandId, 0);
    const profile = await personalData.seal(user_id, ANN);
    const whole = { user_id, partner_id: 'acme', profile, password: null, address: at(ANN.email) };
    await decide(email, at(ANN.email), { type: 'take', user: whole }, context);
    return user_id;
  }

  /** Exchanges the user's address, without the event in the user's stream. */
  async function exchanged(user_id: string, to: string, change_id = 'x'): Promise<void> {
    const sealed = await opened.engine.personalData.seal(user_id, { email: to });
    const exchange = {
      type: 'exchange',
      user_id,
      change_id,
      from: at(ANN.email),
      address: at(to),
      email: sealed,
    } as const;
    await decide(email, at(to), exchange);
  }

  const create = async (): Promise<string> =>
    (await createUser(opened.engine, 'acme', ANN, null, opened.context())).row;

  it('a repeat of the creation registers the user', async () => {
    const context = opened.context();
    const user_id = await taken(context);
    const done = await createUser(opened.engine, 'acme', ANN, null, { ...context });
    expect(done).toEqual({ row: user_id, position: await opened.engine.log.head() });
    expect(await types('user', user_id)).toEqual(['user-registered.v1']);
  });

  it('a look-up of the user by their address registers them', async () => {
    const user_id = await taken();
    expect(await findUserByEmail(opened.engine.writer, opened.engine.keyring, 'acme', ANN.email)).toBe(user_id);
    expect((await knownUser(opened.engine, 'acme', user_id)).profile.email).toBe(ANN.email);
  });

  it('a change by the new address moves the user to it', async () => {
    const user_id = await create();
    await exchanged(user_id, 'new@example.test');
    const given = {
      email: 'new@example.test',
      attributes: { last_name: 'Lee' },
      deleted: undefined,
      overwriteToken: false,
    };
    const command = new UpdateByEmail('acme', given, opened.context());
    const { row } = await new UpdateByEmailHandler(partsOf(opened.engine), opened.settings).execute(command);
    expect(row.profile).toMatchObject({ email: 'new@example.test', last_name: 'Lee' });
    expect(row.state.address).toBe(at('new@example.test'));
  });

  it('a repeat of the change of address moves the user', async () => {
    const user_id = await create();
    const context = opened.context();
    await exchanged(user_id, 'new@example.test', opened.engine.keyring.deriveId(context.commandId, 1));
    const given = { attributes: { email: 'new@example.test' }, deleted: undefined, password: null };
    await new ChangeUserHandler(partsOf(opened.engine), opened.engine.randomness, opened.settings).execute(
      new ChangeUser('acme', user_id, given, { ...context, resumed: true }),
    );
    expect((await knownUser(opened.engine, 'acme', user_id)).profile.email).toBe('new@example.test');
  });

  describe('a released address is free for others', () => {
    let userId: string;
    const given = { attributes: { email: 'new@example.test' }, deleted: undefined, password: null };

    beforeEach(async () => {
      userId = await create();
      const { loop } = opened.engine;
      const exchange = { user_id: userId, change_id: 'x', from: at(ANN.email), address: at('new@example.test') };
      const sealed = await opened.engine.personalData.seal(userId, { email: 'new@example.test' });
      await loop.execute(email, exchange.address, { type: 'exchange', ...exchange, email: sealed }, opened.context());
    });

    const moveTo = (address: string): Promise<unknown> =>
      new ChangeUserHandler(partsOf(opened.engine), opened.engine.randomness, opened.settings).execute(
        new ChangeUser('acme', userId, { ...given, attributes: { email: address } }, opened.context()),
      );

    it('after another request with the same change', async () => {
      const { state, profile } = await knownUser(opened.engine, 'acme', userId);
      const sealed = await opened.engine.personalData.seal(userId, profile);
      const based_on = state.version;
      await decide(user, userId, { type: 'change', based_on, profile: sealed, password: null, deleted: false });
      const again = new ChangeUser('acme', userId, given, opened.context());
      expect(
        (await new ChangeUserHandler(partsOf(opened.engine), opened.engine.randomness, opened.settings).execute(again))
          .position,
      ).toBe(await opened.engine.log.head());
      expect(await findUserByEmail(opened.engine.writer, opened.engine.keyring, 'acme', ANN.email)).toBeNull();
    });

    it.each([
      [
        'by id',
        (context: ReturnType<PeopleEngine['context']>) =>
          new ChangeUserHandler(partsOf(opened.engine), opened.engine.randomness, opened.settings).execute(
            new ChangeUser('acme', userId, given, { ...context, resumed: true }),
          ),
      ],
      [
        'by e-mail',
        (context: ReturnType<PeopleEngine['context']>) =>
          new UpdateByEmailHandler(partsOf(opened.engine), opened.settings).execute(
            new UpdateByEmail(
              'acme',
              { email: 'new@example.test', attributes: {}, deleted: undefined, overwriteToken: false },
              { ...context, resumed: true },
            ),
          ),
      ],
    ])('after a repeat of the request: %s', async (_, again) => {
      const context = opened.context();
      const { state, profile } = await knownUser(opened.engine, 'acme', userId);
      const sealed = await opened.engine.personalData.seal(userId, profile);
      const change = {
        type: 'change',
        based_on: state.version,
        profile: sealed,
        password: null,
        deleted: false,
      } as const;
      await decide(user, userId, change, context);
      await again({ ...context });
      expect(await findUserByEmail(opened.engine.writer, opened.engine.keyring, 'acme', ANN.email)).toBeNull();
    });

    it('after the next change of address, which releases another one', async () => {
      const { state, profile } = await knownUser(opened.engine, 'acme', userId);
      const sealed = await opened.engine.personalData.seal(userId, profile);
      const based_on = state.version;
      await decide(user, userId, { type: 'change', based_on, profile: sealed, password: null, deleted: false });
      await moveTo('third@example.test');
      for (const address of [ANN.email, 'new@example.test'])
        expect(await findUserByEmail(opened.engine.writer, opened.engine.keyring, 'acme', address)).toBeNull();
    });

    // It once read the streams of all addresses that the user ever had.
    it('and a change reads no more addresses because the user had more of them', async () => {
      for (let n = 0; n < 5; n += 1) await moveTo(`address-${n}@example.test`);
      const { loop } = opened.engine;
      const read = loop.read.bind(loop);
      const asked: string[] = [];
      loop.read = (decider, id) => {
        if (decider.category === email.category) asked.push(id);
        return read(decider, id);
      };
      await moveTo('address-4@example.test');
      expect(asked).toEqual([at('address-3@example.test')]);
    });
  });
});

function partsOf({ writer, keyring, personalData }: Engine): UserParts {
  return new UserParts(writer, keyring, personalData);
}
