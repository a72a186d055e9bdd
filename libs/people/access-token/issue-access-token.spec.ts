import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { CommandContext, CommandLoop } from '#eventsourcing';
import { openPeopleEngine, type PeopleEngine } from '../../../test/support/people-engine.js';
import { createUser } from '../user/create-user.js';
import { newProfile } from '../user/profile.js';
import { user } from '../user/user.decider.js';
import { IssueAccessToken, IssueAccessTokenHandler } from './issue-access-token.commands.js';
import { engineOf } from '../../../test/support/engine-of.js';

const INPUT = { expires_in: 60, scope: ['user'], access: ['read'] } as const;
const LOST = { code: 'secrets_lost' };

describe('4.15, A11: the call that issues an access token', () => {
  let opened: PeopleEngine;
  let ann: string;
  beforeEach(async () => {
    opened = await openPeopleEngine();
    const profile = newProfile({ email: 'ann@example.org' }, 0);
    ann = (await createUser(opened.engine, 'acme', profile, null, opened.context())).row;
  });
  afterEach(() => opened.close());

  const issue = async (context: CommandContext, loop: CommandLoop = opened.engine.loop): Promise<string> => {
    const { keyring } = opened.engine;
    const { writer, reader } = engineOf({ loop, freshness: { until: () => Promise.resolve() } });
    return (
      await new IssueAccessTokenHandler(writer, reader, keyring).execute(
        new IssueAccessToken('acme', 'k1', ann, INPUT, context),
      )
    ).row;
  };

  it('says that nobody has seen the token when it is repeated, also if the user was deleted meanwhile', async () => {
    const context = opened.context();
    expect(await issue(context)).toMatch(/^[0-9a-f]{64}$/);
    await expect(issue(context)).rejects.toMatchObject(LOST);
    const { loop } = opened.engine;
    const known = await loop.read(user, ann);
    if (known === null) throw new Error('Ann is a user');
    const { version: based_on, profile } = known;
    const change = { type: 'change', based_on, profile, password: null, deleted: true } as const;
    await loop.execute(user, ann, change, opened.context());
    await expect(issue(context)).rejects.toMatchObject(LOST);
    await expect(issue(opened.context())).rejects.toMatchObject({ code: 'not_found' });
  });

  it('gives a token to one of two processes that run it at once', async () => {
    const context = opened.context();
    const slow = opened.otherLoop([]);
    const execute = slow.execute.bind(slow) as (...args: readonly unknown[]) => Promise<unknown>;
    const reached = Promise.withResolvers<undefined>();
    const free = Promise.withResolvers<undefined>();
    // It has found no token yet, and is held up before it issues one.
    slow.execute = (async (...args: readonly unknown[]) => {
      reached.resolve(undefined);
      await free.promise;
      return execute(...args);
    }) as CommandLoop['execute'];
    const held = issue(context, slow);
    await reached.promise;
    expect(await issue(context)).toMatch(/^[0-9a-f]{64}$/);
    free.resolve(undefined);
    await expect(held).rejects.toMatchObject(LOST);
    await slow.close();
  });
});
