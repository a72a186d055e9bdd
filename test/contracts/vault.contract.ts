import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Vault } from '#eventsourcing';

/** A vault with its data. */
export interface VaultSubject {
  readonly store: Vault;
  /** Closes this one, and opens the same secrets as another process would see them. */
  reopen(): Promise<Vault>;
  /** Closes everything that is open and deletes it. */
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

    // The gateway must get the same card digits that the buyer gave.
    it('D9: returns a secret byte for byte, whatever it is', async () => {
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

    // A caller who asks for a missing card must not get another one.
    it('has nothing under an unknown id', async () => {
      await vault.put('card-1', Buffer.from('secret'));
      for (const id of ['card', 'card-10', 'CARD-1', '']) expect(await vault.get(id)).toBeUndefined();
    });

    // A renewed card has another expiry date; a charge with the old one would be declined.
    it('D9: a new secret replaces the old one, whether shorter, longer or as long', async () => {
      for (const text of ['a secret', 'another, longer secret', 'short', 'SHORT']) {
        await vault.put('card', Buffer.from(text));
        expect((await vault.get('card'))?.toString()).toBe(text);
      }
      expect((await (await subject.reopen()).get('card'))?.toString()).toBe('SHORT');
    });

    // Two requests store the same card at once: one of them wins whole, and nothing of the other shows.
    it('keeps the last of several rivals for one id', async () => {
      const texts = Array.from({ length: 50 }, (_, index) => `secret ${'x'.repeat(index % 5)} ${index}`);
      await Promise.all(texts.map((text) => vault.put('card', Buffer.from(text))));
      expect((await vault.get('card'))?.toString()).toBe(texts.at(-1));
    });

    // The service writes the card's event after this: a card that an event names can be charged, even after a restart.
    it('has what it stored after a restart', async () => {
      const ids = Array.from({ length: 200 }, (_, index) => `card-${index}`);
      await Promise.all(ids.map((id) => vault.put(id, Buffer.from(`secret of ${id}`))));
      const reopened = await subject.reopen();
      const found = await Promise.all(ids.map((id) => reopened.get(id)));
      expect(found.map(String)).toEqual(ids.map((id) => `secret of ${id}`));
    });

    // Erasing a person destroys their cards for ever, in the same process and in the next.
    it('G12: a destroyed secret is gone, even after a restart, and the others are still there', async () => {
      await Promise.all([vault.put('mine', Buffer.from('1')), vault.put('yours', Buffer.from('2'))]);
      const before = vault.get('mine');
      await Promise.all([vault.destroy('mine'), before]);
      expect(await vault.get('mine')).toBeUndefined();
      const reopened = await subject.reopen();
      expect(await reopened.get('mine')).toBeUndefined();
      expect((await reopened.get('yours'))?.toString()).toBe('2');
    });

    // The erasing command may run twice; and a person who was not erased may store a card again.
    it('G12: destroying a secret again, or an unknown one, has the same result; a later put starts anew', async () => {
      await vault.put('card', Buffer.from('old'));
      await Promise.all([vault.destroy('card'), vault.destroy('card'), vault.destroy('unknown')]);
      await vault.destroy('card');
      await vault.put('card', Buffer.from('new'));
      expect((await vault.get('card'))?.toString()).toBe('new');
    });

    // A caller that overwrites its buffer later must not change what the vault keeps.
    it('keeps what it got at the time of the call', async () => {
      const secret = Buffer.from('4242');
      const put = vault.put('card', secret);
      secret.fill(0);
      await put;
      expect((await vault.get('card'))?.toString()).toBe('4242');
    });

    // Card ids come from it, so it must never change. Without a key, an attacker could try all card numbers.
    it('D9: the fingerprint of a text never changes, and another text has another one', async () => {
      const [one, two] = [vault.fingerprint('4242424242424242'), vault.fingerprint('4242424242424241')];
      expect(one).toMatch(/^[0-9a-f]{32}$/);
      expect(two).not.toBe(one);
      expect((await subject.reopen()).fingerprint('4242424242424242')).toBe(one);
    });
  });
}
