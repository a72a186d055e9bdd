import type { Vault } from '#eventsourcing';
import type { CardDetails } from './card.schema.js';

/** Stores a card's details under the card's id, in place of older ones. They are durable before it returns. */
export async function sealCard(vault: Vault, cardId: string, details: CardDetails): Promise<void> {
  const { number, month, year, zip_code } = details;
  await vault.put(cardId, Buffer.from(JSON.stringify({ number, month, year, zip_code })));
}

/** A card's details in clear text, for a gateway only; undefined where there are none or they were destroyed. */
export async function openCard(vault: Vault, cardId: string): Promise<CardDetails | undefined> {
  const kept = await vault.get(cardId);
  return kept && (JSON.parse(kept.toString()) as CardDetails);
}
