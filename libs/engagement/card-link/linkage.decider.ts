import { defineDecider, DomainError, type Instant } from '#kernel';
import type { LinkageEvent, UserLinked } from './linkage.events.js';
import { evolve, linkageParts, noLinkage, placeOf, type LinkageState } from './linkage.state.js';

/** What a link depends on, as the deal has it now. */
export interface LinkTerms {
  /** The deal's type (interface 2.2). */
  readonly type: string;
  /** The workflow state (interface 3.1). */
  readonly state: string;
  readonly end_at: Instant;
  /** Places for users; null for no limit. */
  readonly max_linkage: number | null;
}

export interface TakePlace {
  readonly type: 'take';
  readonly link: Omit<UserLinked, 'linked'>;
  readonly terms: LinkTerms;
}

export type LinkageCommand =
  | TakePlace
  | { readonly type: 'free'; readonly card_link_id: string; readonly deal_id: string; readonly turn: number };

/** Never gives more places than `max_linkage` (ruling E4). */
export const linkage = defineDecider<LinkageCommand, LinkageState, LinkageEvent>({
  category: 'linkage',
  initialState: noLinkage,
  evolve,
  snapshot: linkageParts,
  weigh: ({ places }) => places.bytes,
  decide: (command, state, now) => (command.type === 'take' ? take(command, state, now) : free(command, state)),
});

function take({ link, terms }: TakePlace, state: LinkageState, now: Instant): LinkageEvent[] {
  if (placeOf(state, link.card_link_id).turn >= link.turn) return [];
  if (terms.type !== 'card-linked') throw notLinked('it is not card-linked', link.deal_id);
  const deal = terms.state === 'in-flight' && now >= terms.end_at ? 'landed' : terms.state;
  if (deal !== 'in-flight') throw notLinked(`it is ${deal}`, link.deal_id);
  const most = terms.max_linkage;
  if (most !== null && state.linked >= most) throw notLinked(`all its places are taken (${most})`, link.deal_id);
  return [{ type: 'user-linked.v1', data: { ...link, linked: state.linked + 1 } }];
}

function free(
  { card_link_id, deal_id, turn }: Extract<LinkageCommand, { type: 'free' }>,
  state: LinkageState,
): LinkageEvent[] {
  const place = placeOf(state, card_link_id);
  if (place.turn !== turn || !place.taken) return [];
  return [{ type: 'place-freed.v1', data: { card_link_id, deal_id, turn, linked: state.linked - 1 } }];
}

function notLinked(why: string, dealId: string): DomainError {
  const detail = `the deal is ${dealId}; GET /deals/${dealId} shows its type, its state and max_linkage`;
  return new DomainError('card_link_not_changed', `the deal cannot be linked: ${why}`, { detail });
}
