import { defineDecider, DomainError, LookAgain, notFound, utcTime } from '#kernel';
import { IN_A_LIFE } from '#kernel/bounds';
import type { CardLinked, CardLinkEvent, CardLinkRedeemed } from './card-link.events.js';
import type { CardLinkRow } from './card-link.row.js';
import { evolve, noCardLink, redemptionOf, type CardLinkState } from './card-link.state.js';
import { incentiveOf, type IncentiveTerms } from './incentive.rules.js';

export interface RedeemCardLink {
  readonly type: 'redeem';
  readonly transaction: Pick<
    CardLinkRedeemed,
    'transaction_amount' | 'transaction_date' | 'transaction_reference' | 'max_redemption'
  >;
  readonly terms: IncentiveTerms;
  /** The redemption that the link has under this reference, as the log has it; null if the link knows none. */
  readonly earlier: CardLinkRedeemed | null;
}

export type CardLinkCommand =
  /** The deal's linkage gave it a place. */
  | { readonly type: 'link'; readonly link: CardLinked }
  /** A call answers with the link, so the call that made it can no more take it back. */
  | { readonly type: 'keep' }
  | { readonly type: 'unlink' }
  /** Takes back the link of this turn; one that was used since then stays. */
  | { readonly type: 'undo'; readonly turn: number }
  | RedeemCardLink;

/** Bytes of a state without its redemptions. */
const EMPTY_BYTES = 200;

/** The link of one user to one card-linked deal (interface 3.3, ruling E4). Its place is given by the deal's linkage. */
export const cardLink = defineDecider<CardLinkCommand, CardLinkState, CardLinkEvent>({
  category: 'cardLink',
  initialState: noCardLink,
  evolve,
  weigh: ({ redemptions }) => EMPTY_BYTES + redemptions.bytes,
  decide(command, state, _, next) {
    if (command.type === 'link') {
      return state.turn >= command.link.turn ? [] : [{ type: 'card-linked.v1', data: command.link }];
    }
    const { row, turn } = state;
    if (command.type === 'keep') {
      // The same turn again, without the mark.
      return row !== null && state.isOpen ? [{ type: 'card-linked.v1', data: linkOf(row, turn) }] : [];
    }
    if (command.type === 'undo') {
      return row !== null && state.isOpen && turn === command.turn
        ? [{ type: 'card-link-undone.v1', data: { ...namesOf(row), turn } }]
        : [];
    }
    if (row === null) throw unknownCardLink();
    if (command.type === 'redeem') return redeem(command, state, row, next);
    if (row.state !== 'linked') throw notIn('linked', row);
    return [{ type: 'card-unlinked.v1', data: { ...namesOf(row), turn } }];
  },
});

/**
 * @throws DomainError redeem_failed | redemptions_used_up
 * @throws LookAgain if the link has a redemption with this reference since the handler looked
 */
function redeem(
  { transaction, terms, earlier }: RedeemCardLink,
  state: CardLinkState,
  row: CardLinkRow,
  revision: number | undefined,
): CardLinkEvent[] {
  const known = redemptionOf(state, transaction.transaction_reference);
  if (known !== null) {
    if (earlier?.revision !== known) throw new LookAgain('the card link has just been redeemed');
    if (isSame(earlier, transaction)) return [];
    throw referenceUsed(earlier);
  }
  if (row.state !== 'linked') throw new DomainError('redeem_failed', `the card link is ${row.state}`);
  if (state.redemptions.size >= IN_A_LIFE.redemptions) {
    throw new DomainError('redemptions_used_up', `the card link has had ${IN_A_LIFE.redemptions} redemptions`);
  }
  if (revision === undefined) throw new RangeError('a link can only be redeemed at a known revision');
  const earns = incentiveOf(terms, transaction.transaction_amount, state.qualifying);
  return [{ type: 'card-link-redeemed.v1', data: { ...namesOf(row), revision, ...transaction, ...earns } }];
}

function isSame(earlier: CardLinkRedeemed, transaction: RedeemCardLink['transaction']): boolean {
  return (
    earlier.transaction_reference === transaction.transaction_reference &&
    earlier.transaction_amount === transaction.transaction_amount &&
    earlier.transaction_date === transaction.transaction_date &&
    earlier.max_redemption === transaction.max_redemption
  );
}

function referenceUsed({ transaction_amount, transaction_date, max_redemption }: CardLinkRedeemed): DomainError {
  return new DomainError('redeem_failed', 'the transaction_reference belongs to another redemption', {
    detail: `it has ${transaction_amount} cents, ${utcTime(transaction_date)}, and max_redemption ${max_redemption}: send it again without a change, or use a new reference`,
  });
}

function linkOf({ state: _, ...link }: CardLinkRow, turn: number): CardLinked {
  return { ...link, turn };
}

function namesOf({
  card_link_id,
  deal_id,
  user_id,
}: CardLinkRow): Pick<CardLinkRow, 'card_link_id' | 'deal_id' | 'user_id'> {
  return { card_link_id, deal_id, user_id };
}

/** The refusal of a change that starts at another state (interface 3.3). */
export function notIn(needed: 'linked' | 'unlinked', { state }: Pick<CardLinkRow, 'state'>): DomainError {
  const detail = `only a card link that is ${needed} can change so`;
  return new DomainError('card_link_not_changed', `the card link is ${state}`, { detail });
}

/** The same refusal for an unknown card link and another partner's (rulings A5, A8). */
export function unknownCardLink(): DomainError {
  return notFound('you have no card link with this id');
}
