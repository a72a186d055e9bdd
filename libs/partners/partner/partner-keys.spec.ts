import { describe, expect, it } from '@jest/globals';
import { thisMachine } from '#adapters/machine';
import { Keyring, ViewChanges, type Engine } from '#eventsourcing';
import { PartnerKeys } from './partner-keys.js';

describe('A4: partners by their keys', () => {
  const keyring = Keyring.of(Buffer.alloc(32, 1), thisMachine.randomness);
  const row = { partner_id: 'p1', key_id: 'k1' };
  let found: object | undefined;
  let asked = 0;
  let reading: Promise<unknown> = Promise.resolve();
  const changes = new ViewChanges();
  const engine = {
    ...thisMachine,
    changes,
    keyring,
    views: {
      reader: () => ({
        get: async (hash: string) => {
          asked += 1;
          return found === undefined ? undefined : { key: hash, row: found, position: 1n };
        },
      }),
    },
    loop: { read: () => reading.then(() => ({ slug: 'acme' })) },
  } as unknown as Engine;

  it('are remembered until a credential changes; an unknown key is never remembered', async () => {
    const keys = new PartnerKeys(engine);
    [asked, found] = [0, undefined];
    expect(await keys.find('key')).toBeUndefined();
    expect(await keys.find('key')).toBeUndefined();
    found = row;
    expect(await keys.find('key')).toEqual({ kind: 'partner', id: 'p1', name: 'acme', credential: 'k1', key: 'k1' });
    await keys.find('key');
    expect(asked).toBe(3);
    changes.tell(['api-keys']);
    found = undefined;
    expect(await keys.find('key')).toBeUndefined();
  });

  // A look-up that began before a revocation must not remember the key: the key would stay valid for ever.
  it('a look-up under way when a credential changes is not remembered', async () => {
    const keys = new PartnerKeys(engine);
    const gate = Promise.withResolvers<undefined>();
    [found, reading] = [row, gate.promise];
    const underWay = keys.find('key');
    await Promise.resolve();
    found = undefined;
    changes.tell(['api-keys']);
    gate.resolve(undefined);
    await underWay;
    expect(await keys.find('key')).toBeUndefined();
  });
});
