import { idOf, type Recorded } from '#kernel';

/**
 * How many users are linked to each card-linked deal after each of its linkage's events, counted from the links alone.
 * @throws Error for a link that has two places or frees one that it has not, and for a count that does not agree (ruling E4)
 */
export function placesByDeal(events: readonly Recorded[]): ReadonlyMap<string, readonly number[]> {
  const deals = new Map<string, { places: number[]; linked: Set<string> }>();
  for (const { stream, revision, type, data } of events) {
    if (!stream.startsWith('linkage-')) continue;
    const { card_link_id, linked: stated } = data as { readonly card_link_id: string; readonly linked: number };
    let deal = deals.get(idOf(stream));
    if (deal === undefined) deals.set(idOf(stream), (deal = { places: [], linked: new Set() }));
    const { places, linked } = deal;
    const isTaken = type === 'user-linked.v1';
    if (linked.has(card_link_id) === isTaken) throw new Error(`${stream}@${revision}: ${type} changes nothing`);
    if (isTaken) linked.add(card_link_id);
    else linked.delete(card_link_id);
    if (linked.size !== stated) throw new Error(`${stream}@${revision} counts ${stated}, and there are ${linked.size}`);
    places.push(linked.size);
  }
  return new Map([...deals].map(([deal, { places }]) => [deal, places]));
}
