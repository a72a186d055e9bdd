import type { Keyring } from '#eventsourcing';
import type { SentResale } from './resale.js';

/** A transaction with the ids that follow from it. */
export interface Identified {
  readonly partnerId: string;
  readonly sent: SentResale;
  /** A keyed hash of partner and reference: a reference belongs to one purchase (ruling D11). */
  readonly purchaseId: string;
  /** A keyed hash of everything that was sent; nobody can check a guess of the buyer against it. */
  readonly content: string;
}

/**
 * The id of the resale that holds the units: calls with the same content share it, until such a resale is abandoned.
 * @param abandoned how many resales under this reference came to nothing so far
 */
export function resaleIdOf(keyring: Pick<Keyring, 'hash'>, of: Identified, abandoned: number): string {
  return keyring.hash('resale', `${of.purchaseId}:${of.content}:${abandoned}`);
}

/** The ids of a transaction. The same one always has the same ids. */
export function identify(keyring: Pick<Keyring, 'hash'>, partnerId: string, sent: SentResale): Identified {
  const { deal_id, transaction_reference, transaction_date, transaction_amount, quantity, buyer } = sent;
  const purchaseId = keyring.hash('resold', JSON.stringify([partnerId, transaction_reference]));
  const parts = [deal_id, transaction_date, transaction_amount, quantity, buyer && Object.entries(buyer).sort()];
  return { partnerId, sent, purchaseId, content: keyring.hash('resold-content', JSON.stringify(parts)) };
}
