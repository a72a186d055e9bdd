import type { Vault } from '#eventsourcing';
import type { CardDetails } from './card.schema.js';

/** Keeps a card's details under the card's id; what was kept of it before is replaced. Durable before it returns. */
export async function sealCard(vault: Vault, cardId: string, details: CardDetails): Promise<void> {
  const { number, month, year, zip_code } = details;
  await vault.put(cardId, Buffer.from(JSON.stringify({ number, month, year, zip_code })));
}

/** A card's details in the clear, for a gateway alone; undefined where there are none, or they are destroyed. */
export async function openCard(vault: Vault, cardId: string): Promise<CardDetails | undefined> {
  const kept = await vault.get(cardId);
  return kept && (JSON.parse(kept.toString()) as CardDetails);
}
