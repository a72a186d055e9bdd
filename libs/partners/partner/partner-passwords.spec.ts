import { describe, expect, it } from '@jest/globals';
import { thisMachine } from '#adapters/machine';
import { Keyring, ViewChanges } from '#eventsourcing';
import { PartnerPasswords } from './partner-passwords.js';
import { engineOf } from '../../../test/support/engine-of.js';

describe('A4: partners by their v3 passwords', () => {
  const keyring = Keyring.of(Buffer.alloc(32, 1), thisMachine.randomness);
  const hashOf = (password: string): string => keyring.hash('v3-password', password);
  const rowOf = (password: string): object => ({ partner_id: 'p1', hash: hashOf(password) });
  let row: object | undefined;
  let asked = 0;
  let known = { slug: 'acme', suspended: false, password: hashOf('first') };
  const changes = new ViewChanges();
  const engine = engineOf({
    ...thisMachine,
    changes,
    keyring,
    loop: { known: () => known, readNow: () => Promise.resolve(known) },
    views: {
      reader: () => ({
        get: (username: string) => {
          asked += 1;
          const found = username === 'acme' && row !== undefined;
          return Promise.resolve(found ? { key: username, row, position: 1n } : undefined);
        },
      }),
    },
  });

  it('are remembered until a password changes; a wrong password is never remembered', async () => {
    const passwords = new PartnerPasswords(
      engine.writer,
      engine.reader,
      engine.keyring,
      engine.changes,
      engine.randomness,
    );
    row = rowOf('first');
    expect(await passwords.find('acme', 'second')).toBeUndefined();
    expect(await passwords.find('other', 'first')).toBeUndefined();
    expect(await passwords.find('acmefirst', '')).toBeUndefined();
    expect(await passwords.find('acme', 'first')).toEqual({
      kind: 'partner',
      id: 'p1',
      name: 'acme',
      credential: 'v3:p1',
    });
    await passwords.find('acme', 'first');
    expect(asked).toBe(4);
    row = rowOf('second');
    known = { ...known, password: hashOf('second') };
    // The partner's own stream counts, although the view does not have it yet.
    expect(await passwords.find('acme', 'first')).toBeUndefined();
    changes.tell(['v3-passwords']);
    expect(await passwords.find('acme', 'first')).toBeUndefined();
    expect(await passwords.find('acme', 'second')).toMatchObject({ credential: 'v3:p1' });
    known = { ...known, suspended: true };
    expect(await passwords.find('acme', 'second')).toMatchObject({ suspended: true });
  });
});
