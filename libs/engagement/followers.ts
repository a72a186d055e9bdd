import { begin, defineFollowers, direct, nothing, type Decided, type Directive } from '#kernel';
import { cardLink } from './card-link/card-link.decider.js';
import type { CardLinkUndone, CardUnlinked } from './card-link/card-link.events.js';
import { linkage } from './card-link/linkage.decider.js';

/** A place of a deal that a user got makes their card link. */
export const linkageFollowers = defineFollowers(linkage, {
  'user-linked.v1': ({ data: { linked: _, ...link }, metadata }) => {
    // A card that is linked again has its stream.
    const run = link.turn === 1 ? begin : direct;
    return [run(cardLink, link.card_link_id, { type: 'link', link: { ...link, created_at: metadata.time } })];
  },
  'place-freed.v1': nothing,
});

/** A card link that ended frees its place. */
export const cardLinkFollowers = defineFollowers(cardLink, {
  'card-linked.v1': nothing,
  'card-link-redeemed.v1': nothing,
  'card-unlinked.v1': free,
  'card-link-undone.v1': free,
});

function free({ data: { card_link_id, deal_id, turn } }: Decided<CardUnlinked | CardLinkUndone>): Directive[] {
  return [direct(linkage, deal_id, { type: 'free', card_link_id, deal_id, turn })];
}
