/** The codes of this context's refusals. */
declare module '#kernel' {
  interface DomainCodes {
    card_link_not_changed: 'answered';
    redemptions_used_up: 'answered';
    zip_without_region: 'answered';
  }
}

export {};
