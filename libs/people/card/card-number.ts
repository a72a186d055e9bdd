import { type Keyring, type Vault } from '#eventsourcing';

/**
 * A keyed hash of a card's number within a partner: cards with the same number have the same one, whoever of the partner's users
 * stored them (ruling I12). Another partner's card with this number has another one, so nobody can link the two.
 */
export function numberHashOf(keyring: Keyring, vault: Vault, partnerId: string, number: string): string {
  return keyring.hash('card-number', `${partnerId}:${vault.fingerprint(number)}`);
}

/** The id of a user's card. The same number of the same user has the same id. */
export function cardIdOf(keyring: Keyring, vault: Vault, userId: string, number: string): string {
  return keyring.hash('card', `${userId}:${vault.fingerprint(number)}`);
}
