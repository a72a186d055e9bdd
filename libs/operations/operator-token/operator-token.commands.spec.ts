import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { EmbeddedLog } from '#adapters/embedded';
import { thisMachine } from '#adapters/machine';
import { Codec, CommandLoop, Freshness, Keyring, newContext, SystemClock } from '#eventsourcing';
import type { Engine } from '#platform';
import { operations } from '#operations/model';
import { openGuard } from '../../../test/support/open-guard.js';
import { tempFolder } from '../../../test/support/temp-folder.js';
import { IssueToken, IssueTokenHandler, RevokeToken, RevokeTokenHandler } from './operator-token.commands.js';
import { operatorSecretsView, operatorTokensView } from './operator-token.view.js';
import { engineOf } from '../../../test/support/engine-of.js';

const TOKEN = 'a-token-that-stands-in-a-file';

describe('commands for tokens, and the views of tokens', () => {
  let folder: ReturnType<typeof tempFolder>;
  const clock = new SystemClock(Date.now);
  const keyring = Keyring.of(Buffer.alloc(32, 7), thisMachine.randomness);
  let log: EmbeddedLog;
  let loop: CommandLoop;

  beforeEach(async () => {
    folder = tempFolder();
    log = await EmbeddedLog.open({ file: join(folder.path, 'events.db') });
    loop = new CommandLoop({
      log,
      codec: new Codec(operations.events),
      clock,
      followers: operations.followers,
      machine: thisMachine,
      guard: openGuard(),
    });
  });
  afterEach(async () => {
    await loop.close();
    await log.close();
    folder.remove();
  });

  const engineWith = (freshness: Freshness): Engine => engineOf({ ...thisMachine, loop, log, keyring, freshness });
  const upToDate = async (): Promise<Freshness> => {
    const freshness = new Freshness(thisMachine.time);
    const position = (await log.head()) + 100n;
    freshness.reached([operatorSecretsView, operatorTokensView].map(({ name }) => ({ view: name, position })));
    return freshness;
  };
  const issue = (freshness: Freshness): Promise<{ row: { id: string } }> =>
    new IssueTokenHandler(
      engineWith(freshness).writer,
      engineWith(freshness).reader,
      engineWith(freshness).keyring,
      clock,
    ).execute(
      new IssueToken(
        'ann',
        'operator',
        TOKEN,
        newContext({ clock, randomness: thisMachine.randomness }, 'system:first-start'),
      ),
    );

  it('G1: an existing token is issued again without a wait for views that are still being built', async () => {
    const { row } = await issue(await upToDate());
    // No view is known, as during a start: a wait would end in a refusal.
    expect((await issue(new Freshness(thisMachine.time))).row.id).toBe(row.id);
  });

  it('G1: a repeated revocation is answered only when the views have it', async () => {
    const { row } = await issue(await upToDate());
    const revoke = (freshness: Freshness): Promise<unknown> =>
      new RevokeTokenHandler(engineWith(freshness).writer, engineWith(freshness).reader).execute(
        new RevokeToken(row.id, newContext({ clock, randomness: thisMachine.randomness }, 'operator:ann')),
      );
    await revoke(await upToDate());
    const behind = new Freshness(thisMachine.time);
    const position = (await log.head()) - 1n;
    behind.reached([operatorSecretsView, operatorTokensView].map(({ name }) => ({ view: name, position })));
    await expect(revoke(behind)).rejects.toMatchObject({ name: 'Unavailable' });
  });
});
