import { expect, it } from '@jest/globals';
import { engineOf } from '../../../test/support/engine-of.js';
import { openPeopleEngine } from '../../../test/support/people-engine.js';
import { createUser } from '../user/create-user.js';
import { newProfile } from '../user/profile.js';
import { user } from '../user/user.decider.js';
import { accessToken } from './access-token.decider.js';
import { EndAccessToken, EndAccessTokenHandler } from './end-access-token.commands.js';

it('A11, I10: the repeat of an end of an access token has its answer although the user was deleted since', async () => {
  const opened = await openPeopleEngine();
  try {
    const { writer, keyring } = opened.engine;
    const profile = newProfile({ email: 'ann@example.org' }, 0);
    const ann = (await createUser(opened.engine, 'acme', profile, null, opened.context())).row;
    const token = { token_id: 't', user_id: ann, partner_id: 'acme', key_id: 'k', generation: 0, hash: 'h' };
    const issue = { type: 'issue', token: { ...token, scope: ['user'], access: ['read'] }, expires_in: 60 } as const;
    await writer.execute(accessToken, 't', issue, opened.context());
    const views = { reader: () => ({ get: async () => undefined }) };
    const { reader } = engineOf({ views, freshness: { until: async () => undefined } });
    const end = async (context = opened.context()): Promise<unknown> =>
      new EndAccessTokenHandler(writer, reader, keyring).execute(new EndAccessToken('acme', ann, 't', 0n, context));

    const first = opened.context();
    const done = await end(first);
    const known = await writer.read(user, ann);
    if (known === null) throw new Error('Ann is a user');
    const change = { based_on: known.version, profile: known.profile, password: null, deleted: true } as const;
    await writer.execute(user, ann, { type: 'change', ...change }, opened.context());
    expect(await end({ ...first, resumed: true })).toEqual(done);
    await expect(end()).rejects.toMatchObject({ code: 'not_found' });
  } finally {
    await opened.close();
  }
});
