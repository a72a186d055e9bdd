import { createHmac, hkdfSync } from 'node:crypto';
import { inspect } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { thisMachine } from '#adapters/machine';
import { Keyring, newCommandId } from '#eventsourcing';

const master = Buffer.alloc(32, 7);
const keyring = Keyring.of(master, thisMachine.randomness);
const other = Keyring.of(Buffer.alloc(32, 8), thisMachine.randomness);

describe('keyring', () => {
  it('takes a master key of 32 bytes only, and shows it to nobody', () => {
    expect(() => Keyring.of(Buffer.alloc(31), thisMachine.randomness)).toThrow(RangeError);
    keyring.hash('e-mail', 'x');
    expect(inspect(keyring, { depth: 9, showHidden: true }) + JSON.stringify(keyring)).not.toMatch(/07 07|0707|BwcH/);
  });

  // These values are on disk: a change of the derivation would lose every id, look-up and barcode.
  it('always derives the same values', () => {
    const subkey = Buffer.from(hkdfSync('sha256', master, '', 'holdfast:hash:e-mail', 32));
    const expected = createHmac('sha256', subkey).update('ann@example.org').digest('hex').slice(0, 32);
    expect(keyring.hash('e-mail', 'ann@example.org')).toBe(expected);
    expect(keyring.hash('e-mail', 'ann@example.org')).toBe('8fef90ba7ee9c2ac0034c5432e009ed0');
    expect(keyring.deriveId('018bcfe5-687b-7abc-8def-0123456700ff', 3)).toBe('018bcfe5687b0d5424f76c0075bd2e65');
    expect(keyring.digits('barcode', 'coupon', 12)).toBe('248028912059');
    expect(keyring.sign('print', 'coupon')).toBe('662f9842b9a3883e');
  });

  it('B2: hashes are 128 bits, and differ by text, purpose, use and master key', () => {
    const hashes = [
      keyring.hash('a', 'x'),
      keyring.hash('a', 'y'),
      keyring.hash('b', 'x'),
      keyring.hash('ids', 'x'),
      other.hash('a', 'x'),
    ];
    for (const hash of hashes) expect(hash).toMatch(/^[0-9a-f]{32}$/);
    expect(new Set(hashes).size).toBe(hashes.length);
    expect(keyring.hash('a', 'x').startsWith(keyring.sign('a', 'x'))).toBe(false);
  });

  it('B2: ids of one command repeat, differ by index, and are in the order of time', () => {
    const command = newCommandId(1_700_000_000_123, thisMachine.randomness);
    expect(keyring.deriveId(command, 0)).toBe(keyring.deriveId(command, 0));
    expect(keyring.deriveId(command, 0)).toMatch(/^018bcfe5687b[0-9a-f]{20}$/);
    const ids = Array.from({ length: 1000 }, (_, index) => keyring.deriveId(command, index));
    expect(new Set(ids).size).toBe(1000);
    const later = keyring.deriveId(newCommandId(1_700_000_000_124, thisMachine.randomness), 0);
    expect(ids.every((id) => id < later)).toBe(true);
    expect(other.deriveId(command, 0).slice(12)).not.toBe(keyring.deriveId(command, 0).slice(12));
  });

  it('B7: digits have the requested number, and each digit occurs in each place', () => {
    const seen = Array.from({ length: 12 }, () => new Set<string>());
    for (let index = 0; index < 500; index++) {
      const digits = keyring.digits('barcode', `coupon-${index}`, 12);
      expect(digits).toMatch(/^\d{12}$/);
      for (const [place, set] of seen.entries()) set.add(digits.charAt(place));
    }
    expect(seen.map((place) => place.size)).toEqual(Array(12).fill(10));
    for (const count of [0, 39, 1.5]) expect(() => keyring.digits('barcode', 'x', count)).toThrow(RangeError);
  });

  it('B7: a signature is valid only for its text and purpose', () => {
    const signature = keyring.sign('print', 'coupon-1');
    expect(signature).toMatch(/^[0-9a-f]{16}$/);
    expect(keyring.verify('print', 'coupon-1', signature)).toBe(true);
    expect(keyring.verify('print', 'coupon-2', signature)).toBe(false);
    expect(keyring.verify('qr', 'coupon-1', signature)).toBe(false);
    expect(other.verify('print', 'coupon-1', signature)).toBe(false);
    for (const wrong of ['', signature.slice(0, 15), `${signature}0`, `${signature.slice(0, 15)}é`, '🙂'.repeat(8)]) {
      expect(keyring.verify('print', 'coupon-1', wrong)).toBe(false);
    }
  });

  it('A4: secrets are a prefix and 256 random bits', () => {
    expect(keyring.secret('hf_')).toMatch(/^hf_[A-Za-z0-9_-]{43}$/);
    expect(keyring.secret()).not.toBe(keyring.secret());
  });

  it('wrapped bytes open only unchanged, with their purpose, context and master key', () => {
    const plain = Buffer.from('an answer that is kept');
    const wrapped = keyring.wrap('answer', plain, 'order-1');
    expect(wrapped.bytes).toHaveLength(12 + 16 + plain.length);
    expect(keyring.unwrap('answer', wrapped, 'order-1')).toEqual(plain);
    expect(keyring.unwrap('answer', keyring.wrap('answer', Buffer.alloc(0)))).toEqual(Buffer.alloc(0));
    expect(() => keyring.unwrap('answer', wrapped, 'order-2')).toThrow('do not open');
    expect(() => keyring.unwrap('key', wrapped, 'order-1')).toThrow('do not open');
    expect(() => other.unwrap('answer', wrapped, 'order-1')).toThrow('do not open');
    const opening = (bytes: Uint8Array) => (): unknown => keyring.unwrap('answer', { key: 0, bytes }, 'order-1');
    expect(opening(wrapped.bytes.subarray(0, 20))).toThrow('do not open');
    for (let byte = 0; byte < wrapped.bytes.length; byte++) {
      const changed = Buffer.from(wrapped.bytes);
      changed.writeUInt8(changed.readUInt8(byte) ^ 1, byte);
      expect(opening(changed)).toThrow('do not open');
    }
  });

  it('never uses a nonce twice, even across pools', () => {
    const nonces = Array.from({ length: 2000 }, () =>
      Buffer.from(keyring.wrap('answer', Buffer.alloc(1)).bytes).toString('hex', 0, 12),
    );
    expect(new Set(nonces).size).toBe(2000);
  });

  describe('with keys of several numbers', () => {
    const key = (byte: number): Buffer => Buffer.alloc(32, byte);
    const before = Keyring.holding(
      { hash: key(7), seal: new Map([[0, key(7)]]), url: new Map([[0, key(7)]]) },
      thisMachine.randomness,
    );
    const rotated = Keyring.holding(
      {
        hash: key(7),
        seal: new Map([
          [0, key(7)],
          [1, key(11)],
        ]),
        url: new Map([
          [2, key(13)],
          [0, key(7)],
        ]),
      },
      thisMachine.randomness,
    );

    it('hashes, ids and digits stay the same, whatever keys follow', () => {
      expect(rotated.hash('e-mail', 'ann@example.org')).toBe('8fef90ba7ee9c2ac0034c5432e009ed0');
      expect(rotated.deriveId('018bcfe5-687b-7abc-8def-0123456700ff', 3)).toBe('018bcfe5687b0d5424f76c0075bd2e65');
      expect(rotated.digits('barcode', 'coupon', 12)).toBe('248028912059');
    });

    it('the newest key seals new data, and old data opens only under its own number', () => {
      const old = before.wrap('answer', Buffer.from('old'));
      const young = rotated.wrap('answer', Buffer.from('young'));
      expect([old.key, young.key]).toEqual([0, 1]);
      expect(rotated.unwrap('answer', old).toString()).toBe('old');
      expect(rotated.unwrap('answer', young).toString()).toBe('young');
      expect(() => rotated.unwrap('answer', { key: 1, bytes: old.bytes })).toThrow('do not open');
      expect(() => rotated.unwrap('answer', { key: 0, bytes: young.bytes })).toThrow('do not open');
      expect(() => rotated.unwrap('answer', { key: 2, bytes: young.bytes })).toThrow('no seal key of the number 2');
    });

    it('B7: signatures of all numbers are valid and name their number, except for the number 0', () => {
      const [old, young] = [before.sign('print', 'coupon'), rotated.sign('print', 'coupon')];
      expect(old).toBe('662f9842b9a3883e');
      expect(young).toMatch(/^2-[0-9a-f]{16}$/);
      expect(rotated.verify('print', 'coupon', old)).toBe(true);
      expect(rotated.verify('print', 'coupon', young)).toBe(true);
      expect(before.verify('print', 'coupon', young)).toBe(false);
      for (const wrong of [young.slice(2), `0-${old}`, `1-${old}`, `02-${young.slice(2)}`, `2-${old}`, `-${old}`]) {
        expect(rotated.verify('print', 'coupon', wrong)).toBe(false);
      }
    });

    it('needs a key to seal and one to sign', () => {
      const one = new Map([[0, key(1)]]);
      expect(() => Keyring.holding({ hash: key(1), seal: new Map(), url: one }, thisMachine.randomness)).toThrow(
        'no seal key',
      );
      expect(() => Keyring.holding({ hash: key(1), seal: one, url: new Map() }, thisMachine.randomness)).toThrow(
        'no url key',
      );
    });
  });
});
