/** The codes of this context's refusals. */
declare module '#kernel' {
  interface DomainCodes {
    already_charging: 'answered';
    barcode_shared: 'answered';
    cannot_fulfill: 'answered';
    coupon_not_found: 'answered';
    coupon_not_given_back: 'handled';
    coupon_not_reissued: 'answered';
    coupon_replaced: 'answered';
    coupons_not_known: 'handled';
    deal_not_found: 'answered';
    declined: 'answered';
    purchase_invalid: 'answered';
    purchase_not_open: 'answered';
    purchase_not_sold: 'answered';
    redeem_failed: 'answered';
    reference_used: 'answered';
    reissue_expired: 'answered';
    reissue_expiry_not_one: 'answered';
    resale_invalid: 'handled';
    resale_refused: 'answered';
    stock_below_sold: 'answered';
  }
}

export {};
