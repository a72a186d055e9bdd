/** The codes of this context's refusals. */
declare module '#kernel' {
  interface DomainCodes {
    deal_arrives_early: 'answered';
    deal_attribute_missing: 'answered';
    deal_expires_early: 'answered';
    deal_expiry_not_one: 'answered';
    deal_incentive_twice: 'answered';
    deal_not_found: 'answered';
    deal_type_contradicts: 'answered';
    deal_window_empty: 'answered';
    find_failed: 'answered';
    region_attribute_missing: 'answered';
    region_place_half: 'answered';
    region_not_found: 'answered';
    transition_refused: 'answered';
  }
}

export {};
