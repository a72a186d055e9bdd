import { describe, expect, it } from '@jest/globals';
import { thisMachine } from '#adapters/machine';
import { Keyring, ViewChanges } from '#eventsourcing';
import { OperatorTokens } from './operator-tokens.js';
import { engineOf } from '../../../test/support/engine-of.js';

describe('G1: operators by their tokens', () => {
  let found: object | undefined;
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
    const tokens = new OperatorTokens(engine.writer, engine.reader, engine.keyring, engine.changes);
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
    const tokens = new OperatorTokens(engine.writer, engine.reader, engine.keyring, engine.changes);
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
});
