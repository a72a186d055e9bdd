import type { Vault } from '#eventsourcing';
import type { CardDetails } from './card.schema.js';
import type { CardInWallet } from './wallet.decider.js';

/** The name in the vault of a card's details: each life of the card has its own. */
export function secretOf({ card_id, life }: Pick<CardInWallet, 'card_id' | 'life'>): string {
  return life === 0 ? card_id : `${card_id}.${life}`;
}

/**
 * Stores a card's details in place of older ones. They are durable before it returns.
 * @param secret from {@link secretOf}
 */
export async function sealCard(vault: Vault, secret: string, details: CardDetails): Promise<void> {
  const { number, month, year, zip_code } = details;
  await vault.put(secret, Buffer.from(JSON.stringify({ number, month, year, zip_code })));
}

/**
 * A card's details in clear text, for a gateway only; undefined where there are none or they were destroyed.
 * @param secret from {@link secretOf}
 */
export async function openCard(vault: Vault, secret: string): Promise<CardDetails | undefined> {
  const kept = await vault.get(secret);
  return kept && (JSON.parse(kept.toString()) as CardDetails);
}
