import { describe, expect, it } from '@jest/globals';
import { thisMachine } from '#adapters/machine';
import { Keyring } from '#eventsourcing';
import { confirmationLink, endOfBatchMailsLink, endOfSubscriptionLink, readSigned, signedPart } from './mail-link.js';

const keyOf = (byte: number): Buffer => Buffer.alloc(32, byte);
const keyring = Keyring.of(keyOf(1), thisMachine.randomness);
const ID = 'ab'.repeat(16);
const ADDRESS = 'ef'.repeat(16);
const HOME = 'https://deals.example';
const LINKS = [
  { kind: 'confirmation', id: ID, address: ADDRESS },
  { kind: 'end-of-subscription', id: ID, address: null },
  { kind: 'end-of-batch-mails', id: ID, address: null },
] as const;

describe('E5, H3: a link in a mail', () => {
  it('opens what it was signed for, and nothing else', () => {
    for (const link of LINKS) {
      const signed = signedPart(keyring, link);
      expect(readSigned(keyring, signed)).toEqual(link);
      for (const letter of 'abcs') {
        if (!signed.startsWith(letter)) expect(readSigned(keyring, letter + signed.slice(1))).toBeUndefined();
      }
      expect(readSigned(keyring, signed.replace(ID, 'cd'.repeat(16)))).toBeUndefined();
      for (const cut of [signed.slice(0, -1), signed.slice(1), `${signed}0`, '', `${signed}\n`, signed.toUpperCase()]) {
        expect(readSigned(keyring, cut)).toBeUndefined();
      }
    }
  });

  it('that confirms names the address of its mail, and opens for no other', () => {
    const link = { kind: 'confirmation', id: ID, address: ADDRESS } as const;
    const signed = signedPart(keyring, link);
    expect(readSigned(keyring, signed)).toEqual(link);
    expect(readSigned(keyring, signed.replace(ADDRESS, 'ab'.repeat(16)))).toBeUndefined();
    expect(readSigned(keyring, signed.replace(ADDRESS, ''))).toBeUndefined();
    const unnamed = signedPart(keyring, { ...link, address: null });
    for (const each of [unnamed, unnamed.replace(ID, ID + ADDRESS)]) expect(readSigned(keyring, each)).toBeUndefined();
  });

  it('that does not confirm names no address', () => {
    const signed = signedPart(keyring, { kind: 'end-of-subscription', id: ID, address: ADDRESS });
    expect(readSigned(keyring, signed)).toBeUndefined();
  });

  it('stands under the public address, and needs no further encoding', () => {
    const links = [
      confirmationLink(keyring, HOME, ID, ADDRESS),
      endOfSubscriptionLink(keyring, HOME, ID),
      endOfBatchMailsLink(keyring, HOME, ID),
    ];
    expect(links.map((link) => link.replace(/[0-9a-f]{16}$/, '<16 hex digits>'))).toEqual([
      `${HOME}/m/confirm/c${ID}${ADDRESS}-<16 hex digits>`,
      `${HOME}/m/unsubscribe/s${ID}-<16 hex digits>`,
      `${HOME}/m/unsubscribe/b${ID}-<16 hex digits>`,
    ]);
  });

  it('is signed by the newest key, and stays valid when there is a newer one', () => {
    const old = { hash: keyOf(1), seal: new Map([[1, keyOf(2)]]), url: new Map([[1, keyOf(3)]]) };
    const rotated = { ...old, url: new Map([...old.url, [2, keyOf(4)]]) };
    const [before, after] = [old, rotated].map((keys) => Keyring.holding(keys, thisMachine.randomness));
    if (before === undefined || after === undefined) throw new Error('two keyrings');
    for (const link of LINKS) {
      const [first, second] = [before, after].map((each) => signedPart(each, link));
      expect([first, second]).toEqual([expect.stringContaining('-1-'), expect.stringContaining('-2-')]);
      expect(readSigned(after, first ?? '')).toEqual(link);
      expect(readSigned(after, second ?? '')).toEqual(link);
      expect(readSigned(before, second ?? '')).toBeUndefined();
    }
  });
});
