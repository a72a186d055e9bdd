import { DomainError, defineDecider, utcTime, type Instant } from '#kernel';
import { vouchersExpireAt, type SaleTerms } from '../inventory/sale-terms.js';
import type { CouponEvent, CouponIssued } from './coupon.events.js';
import { cancelled, giveBack, type GiveBack } from './give-back.rules.js';
import { couponAfter, type CouponRow } from './coupon.row.js';

export type CouponCommand =
  | { readonly type: 'issue'; readonly coupon: CouponIssued }
  | { readonly type: 'redeem' }
  | { readonly type: 'cancel'; readonly reason: string }
  /** A reseller's cancellation (ruling D12). */
  | ({ readonly type: 'give-back' } & GiveBack)
  | {
      readonly type: 'reissue';
      /** The id of the new coupon. */
      readonly coupon_id: string;
      readonly barcode: string;
      /** The present terms, for what the new coupon shows and when it expires; undefined for those of the old one (ruling I2). */
      readonly terms: ReissueTerms | undefined;
      /** Another expiry of the new coupon; undefined for that of the terms. */
      readonly expires_at: Instant | undefined;
      /** The old coupon was redeemed, which was a mistake (ruling I3). */
      readonly redeemed_by_mistake: boolean;
      readonly reason: string;
    };

/** The part of a deal's terms that a new coupon takes over. */
export type ReissueTerms = Pick<SaleTerms, 'deal' | 'expires_at' | 'expiration_days'>;

type Reissue = Extract<CouponCommand, { type: 'reissue' }>;

/** One coupon. It can be redeemed, cancelled and replaced at most once each (interface 3.4, rulings D10, D14). */
export const coupon = defineDecider<CouponCommand, CouponRow | null, CouponEvent>({
  category: 'coupon',
  initialState: null,
  decide(command, state, now) {
    if (command.type === 'issue') {
      return state === null ? [{ type: 'coupon-issued.v1', data: command.coupon }] : [];
    }
    if (state === null) {
      throw new DomainError(command.type === 'redeem' ? 'coupon_not_found' : 'not_found', 'Failed. not found.', {
        detail: 'no coupon has this id',
      });
    }
    switch (command.type) {
      case 'redeem':
        return redeem(state, now);
      case 'cancel':
        return cancel(state, command.reason);
      case 'give-back':
        return giveBack(state, command, now);
      case 'reissue':
        return reissue(state, command, now);
    }
  },
  evolve: (state, event) => couponAfter(state ?? undefined, event) ?? null,
});

function redeem(state: CouponRow, now: Instant): CouponEvent[] {
  if (state.state !== 'valid') throw notValid(state.state, whyNot(state, state.state));
  if (state.expires_at !== null && now >= state.expires_at) {
    throw notValid('expired', `since ${utcTime(state.expires_at)}`);
  }
  const { coupon_id, purchase_id } = state;
  return [{ type: 'coupon-redeemed.v1', data: { coupon_id, purchase_id, redeemed_at: now } }];
}

function notValid(word: string, detail: string): DomainError {
  return new DomainError('redeem_failed', `the coupon is ${word}`, { detail });
}

/** The reason why a coupon is not valid any more, for the person at the counter. */
function whyNot({ redeemed_at, replaced_by }: CouponRow, state: Exclude<CouponRow['state'], 'valid'>): string {
  switch (state) {
    case 'redeemed':
      return redeemed_at === null ? 'it was redeemed' : `it was redeemed at ${utcTime(redeemed_at)}`;
    case 'cancelled':
      return 'its unit was given back';
    case 'reissued':
      return `it was issued again as ${replaced_by}`;
  }
}

/** Cancels a coupon in any state, for operators (ruling D14). A replaced coupon has no unit any more. */
function cancel(state: CouponRow, reason: string): CouponEvent[] {
  switch (state.state) {
    case 'valid':
    case 'redeemed':
      return [cancelled(state, reason)];
    case 'cancelled':
      return [];
    case 'reissued':
      throw replaced(state);
  }
}

/**
 * Replaces a coupon that nobody has used, for operators (rulings D14, I3). A used one would be used again, as often as it is
 * issued again; whoever redeemed it by mistake says so.
 */
function reissue(state: CouponRow, command: Reissue, now: Instant): CouponEvent[] {
  switch (state.state) {
    case 'valid':
      if (command.redeemed_by_mistake) throw notReissued('the coupon is not redeemed: leave redeemed_by_mistake out');
      return [replace(state, command, now)];
    case 'redeemed':
      if (!command.redeemed_by_mistake) {
        throw notReissued('the coupon is redeemed: if that was a mistake, send redeemed_by_mistake');
      }
      return [replace(state, command, now)];
    case 'cancelled':
      throw notReissued('the coupon is cancelled: its unit is in stock again');
    case 'reissued':
      if (state.replaced_by === command.coupon_id) return [];
      throw replaced(state);
  }
}

/** Refuses a new coupon that would expire at once. */
function replace(state: CouponRow, command: Reissue, now: Instant): CouponEvent {
  const { coupon_id, barcode, terms, reason, redeemed_by_mistake } = command;
  const expiry = command.expires_at ?? (terms === undefined ? state.expires_at : vouchersExpireAt(terms, now));
  if (expiry !== null && now >= expiry) {
    throw new DomainError('reissue_expired', 'is past: send a later expires_at for the new coupon');
  }
  // Every field by name: so each new one says whether it stays, or comes from the terms.
  const replacement: CouponIssued = {
    coupon_id,
    purchase_id: state.purchase_id,
    partner_id: state.partner_id,
    user_id: state.user_id,
    deal_id: state.deal_id,
    deal_type: state.deal_type,
    deal_revision: terms?.deal.revision ?? state.deal_revision,
    number: state.number,
    barcode,
    // It stays, and returns to the stock when the new coupon is cancelled.
    unit: state.unit,
    redemption_code: state.redemption_code,
    created_at: now,
    expires_at: expiry,
  };
  return {
    type: 'coupon-reissued.v1',
    data: { coupon_id: state.coupon_id, purchase_id: state.purchase_id, reason, redeemed_by_mistake, replacement },
  };
}

function notReissued(why: string): DomainError {
  return new DomainError('coupon_not_reissued', why);
}

function replaced({ replaced_by: by }: CouponRow): DomainError {
  return new DomainError('coupon_replaced', `the coupon was issued again as ${by}`, { replaced_by: by });
}
