import { describe, expect, it } from '@jest/globals';
import { thisMachine } from '#adapters/machine';
import { Keyring, ViewChanges } from '#eventsourcing';
import { OperatorTokens } from './operator-tokens.js';
import { engineOf } from '../../../test/support/engine-of.js';

describe('G1: operators by their tokens', () => {
  let found: object | undefined;
  let now = 0;
  let reading: Promise<unknown> = Promise.resolve();
  const changes = new ViewChanges();
  let known: object | undefined;
  let newest: () => Promise<object> = () => Promise.resolve({ status: 'living' });
  const engine = engineOf({
    loop: { known: () => known, read: () => newest() },
    changes,
    keyring: Keyring.of(Buffer.alloc(32, 1), thisMachine.randomness),
    views: {
      reader: () => ({
        get: async () => {
          const row = found;
          await reading;
          return row === undefined ? undefined : { row };
        },
      }),
    },
  });

  it('are cached until a token changes; neither unknown tokens nor look-ups during a change are', async () => {
    const tokens = new OperatorTokens(engine.writer, engine.reader, engine.keyring, engine.changes, { now: () => now });
    expect(await tokens.find('t')).toBeUndefined();
    found = { name: 'ann', role: 'operator' };
    expect(await tokens.find('t')).toMatchObject({ kind: 'operator', name: 'ann', role: 'operator' });
    found = undefined;
    expect(await tokens.find('t')).toBeDefined();
    changes.tell(['operator-secrets']);
    expect(await tokens.find('t')).toBeUndefined();

    const gate = Promise.withResolvers<undefined>();
    [found, reading] = [{ name: 'ann', role: 'operator' }, gate.promise];
    const underWay = tokens.find('t');
    found = undefined;
    changes.tell(['operator-secrets']);
    gate.resolve(undefined);
    await underWay;
    expect(await tokens.find('t')).toBeUndefined();
  });

  it('count no more once they are revoked at another process, whatever the view still has', async () => {
    const tokens = new OperatorTokens(engine.writer, engine.reader, engine.keyring, engine.changes, { now: () => now });
    [found, reading] = [{ id: 't1', name: 'ann', role: 'operator' }, Promise.resolve()];
    expect(await tokens.find('t')).toBeDefined();
    known = { status: 'revoked' };
    expect(await tokens.find('t')).toBeUndefined();
    known = undefined;
    newest = () => Promise.resolve({ status: 'revoked' });
    expect(await tokens.find('t')).toBeUndefined();
    // While the log cannot be asked, operators are needed.
    newest = () => Promise.reject(new Error('the log is away'));
    expect(await tokens.find('t')).toBeDefined();
  });

  it('G14.1: count no more once they have ended, and the refusal says when that was', async () => {
    const tokens = new OperatorTokens(engine.writer, engine.reader, engine.keyring, new ViewChanges(), {
      now: () => now,
    });
    newest = () => Promise.resolve({ status: 'living' });
    found = { id: 't1', name: 'ann', role: 'operator', expires_at: 90_000 };
    now = 89_999;
    expect(await tokens.find('t')).toBeDefined();
    now = 90_000;
    await expect(tokens.find('t')).rejects.toMatchObject({
      status: 401,
      errorType: 'auth_failed',
      message: 'this token has ended at 1970-01-01T00:01:30Z: an operator can issue another one',
    });
    expect(await tokens.holderOf('hash')).toBeUndefined();
  });
});
