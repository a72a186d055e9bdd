import { describe, expect, it } from '@jest/globals';
import { thisMachine } from '#adapters/machine';
import { Keyring, ViewChanges } from '#eventsourcing';
import { PartnerKeys } from './partner-keys.js';
import { engineOf } from '../../../test/support/engine-of.js';

const FULL = { hash: 'h', name: null, restriction: null };
const ACME = { slug: 'acme', suspended: false, keys: { k1: FULL }, revoked: [] as readonly string[] };
const CALLER = { kind: 'partner', id: 'p1', name: 'acme', credential: 'k1', key: 'k1' };

describe('A4: partners by their keys', () => {
  const keyring = Keyring.of(Buffer.alloc(32, 1), thisMachine.randomness);
  const row = { partner_id: 'p1', key_id: 'k1' };
  let found: object | undefined;
  let asked = 0;
  let reading: Promise<unknown> = Promise.resolve();
  /** What this process knows of the partner's stream, and what the log has. */
  let known: object = ACME;
  let newest: object | undefined;
  let reads = 0;
  const changes = new ViewChanges();
  const engine = engineOf({
    ...thisMachine,
    changes,
    keyring,
    views: {
      reader: () => ({
        get: async (hash: string) => {
          asked += 1;
          await reading;
          return found === undefined ? undefined : { key: hash, row: found, position: 1n };
        },
      }),
    },
    loop: {
      known: () => known,
      readNow: async () => {
        reads += 1;
        return (known = newest ?? known);
      },
    },
  });

  it('are remembered until a credential changes; an unknown key is never remembered', async () => {
    const keys = new PartnerKeys(engine.writer, engine.reader, engine.keyring, engine.changes, engine.randomness);
    [asked, found] = [0, undefined];
    expect(await keys.find('key')).toBeUndefined();
    expect(await keys.find('key')).toBeUndefined();
    found = row;
    expect(await keys.find('key')).toEqual(CALLER);
    await keys.find('key');
    expect(asked).toBe(3);
    changes.tell(['api-keys']);
    found = undefined;
    expect(await keys.find('key')).toBeUndefined();
  });

  // A look-up that began before a revocation must not remember the key: the key would stay valid for ever.
  it('a look-up under way when a credential changes is not remembered', async () => {
    const keys = new PartnerKeys(engine.writer, engine.reader, engine.keyring, engine.changes, engine.randomness);
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

  it('I10: count by the partner’s own stream at each use, whatever the view still has', async () => {
    const keys = new PartnerKeys(engine.writer, engine.reader, engine.keyring, engine.changes, engine.randomness);
    [found, known, newest, reads] = [row, ACME, undefined, 0];
    expect(await keys.find('key')).toEqual(CALLER);
    known = { ...ACME, suspended: true };
    expect(await keys.find('key')).toEqual({ ...CALLER, suspended: true });
    known = { ...ACME, keys: {}, revoked: ['k1'] };
    expect(await keys.find('key')).toBeUndefined();
    expect(await keys.find('key')).toBeUndefined();
    // The end of the stream is looked at once for each state, not at each try.
    expect(reads).toBe(1);
    known = ACME;
    expect(await keys.find('key')).toEqual(CALLER);
  });

  it('I10: count at once where another process has issued them', async () => {
    const keys = new PartnerKeys(engine.writer, engine.reader, engine.keyring, engine.changes, engine.randomness);
    [found, known, newest] = [row, { ...ACME, keys: {} }, ACME];
    expect(await keys.find('key')).toEqual(CALLER);
    newest = undefined;
  });

  it('I8: that are restricted say to what', async () => {
    const restriction = { scope: ['coupon'], access: ['read', 'write'] };
    [found, known] = [row, { ...ACME, keys: { k1: { hash: 'h', name: 'till', restriction } } }];
    expect(
      await new PartnerKeys(engine.writer, engine.reader, engine.keyring, engine.changes, engine.randomness).find(
        'key',
      ),
    ).toEqual({
      ...CALLER,
      restricted: { name: 'till', ...restriction },
    });
  });
});
