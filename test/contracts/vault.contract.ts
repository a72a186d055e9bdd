import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Vault } from '#eventsourcing';

/** One vault with everything that it keeps. */
export interface VaultSubject {
  readonly store: Vault;
  /** Ends this one, and opens the same secrets as another process would find them. */
  reopen(): Promise<Vault>;
  /** Ends whatever is open and removes it. */
  dispose(): Promise<void>;
}

/** What every Vault must do. */
export function vaultContract(name: string, makeSubject: () => Promise<VaultSubject>): void {
  describe(`vault contract: ${name}`, () => {
    let subject: VaultSubject;
    let vault: Vault;
    beforeEach(async () => {
      subject = await makeSubject();
      vault = subject.store;
    });
    afterEach(() => subject.dispose());

    // A card is charged with the digits that were given, not with others.
    it('D9: gives a secret back byte for byte, whatever it is', async () => {
      const secrets = [
        Buffer.from('4242424242424242'),
        Buffer.alloc(0),
        Buffer.alloc(70_000, 7),
        Buffer.from([0, 255]),
      ];
      await Promise.all(secrets.map((secret, index) => vault.put(`card-${index}`, secret)));
      for (const [index, secret] of secrets.entries()) expect(await vault.get(`card-${index}`)).toEqual(secret);
      const reopened = await subject.reopen();
      for (const [index, secret] of secrets.entries()) expect(await reopened.get(`card-${index}`)).toEqual(secret);
    });

    // Whoever asks for a card that is not there must not get a neighbour's.
    it('has nothing under an unknown id', async () => {
      await vault.put('card-1', Buffer.from('secret'));
      for (const id of ['card', 'card-10', 'CARD-1', '']) expect(await vault.get(id)).toBeUndefined();
    });

    // A renewed card has another expiry; a charge with the old one would be declined.
    it('D9: a secret replaces the one before it, shorter, longer or as long', async () => {
      for (const text of ['a secret', 'another, longer secret', 'short', 'SHORT']) {
        await vault.put('card', Buffer.from(text));
        expect((await vault.get('card'))?.toString()).toBe(text);
      }
      expect((await (await subject.reopen()).get('card'))?.toString()).toBe('SHORT');
    });

    // Two requests that store the same card at once: one of them wins whole, and nothing of the other shows.
    it('of rivals for one id the last one stays', async () => {
      const texts = Array.from({ length: 50 }, (_, index) => `secret ${'x'.repeat(index % 5)} ${index}`);
      await Promise.all(texts.map((text) => vault.put('card', Buffer.from(text))));
      expect((await vault.get('card'))?.toString()).toBe(texts.at(-1));
    });

    // The event that tells of a card is written after this: a card that is told of can be charged, also after a restart.
    it('what was put is there after a restart', async () => {
      const ids = Array.from({ length: 200 }, (_, index) => `card-${index}`);
      await Promise.all(ids.map((id) => vault.put(id, Buffer.from(`secret of ${id}`))));
      const reopened = await subject.reopen();
      const found = await Promise.all(ids.map((id) => reopened.get(id)));
      expect(found.map(String)).toEqual(ids.map((id) => `secret of ${id}`));
    });

    // Erasing a person destroys his cards: for ever, in the same process and in the next.
    it('G12: what was destroyed is gone, also after a restart, and its neighbours are there', async () => {
      await Promise.all([vault.put('mine', Buffer.from('1')), vault.put('yours', Buffer.from('2'))]);
      const before = vault.get('mine');
      await Promise.all([vault.destroy('mine'), before]);
      expect(await vault.get('mine')).toBeUndefined();
      const reopened = await subject.reopen();
      expect(await reopened.get('mine')).toBeUndefined();
      expect((await reopened.get('yours'))?.toString()).toBe('2');
    });

    // The erasing command may run twice; and a card may be stored again by a person who was not erased.
    it('G12: destroying again, or an unknown secret, is the same; a later put starts anew', async () => {
      await vault.put('card', Buffer.from('old'));
      await Promise.all([vault.destroy('card'), vault.destroy('card'), vault.destroy('unknown')]);
      await vault.destroy('card');
      await vault.put('card', Buffer.from('new'));
      expect((await vault.get('card'))?.toString()).toBe('new');
    });

    // A caller that goes on using its buffer, to overwrite it for one, must not change what is kept.
    it('keeps what it was given at the time of the call', async () => {
      const secret = Buffer.from('4242');
      const put = vault.put('card', secret);
      secret.fill(0);
      await put;
      expect((await vault.get('card'))?.toString()).toBe('4242');
    });

    // Card ids are made of it: it may never change, and numbers are few enough to be tried out without a key.
    it('D9: the fingerprint of a text is the same for ever, and another text has another one', async () => {
      const [one, two] = [vault.fingerprint('4242424242424242'), vault.fingerprint('4242424242424241')];
      expect(one).toMatch(/^[0-9a-f]{32}$/);
      expect(two).not.toBe(one);
      expect((await subject.reopen()).fingerprint('4242424242424242')).toBe(one);
    });
  });
}
