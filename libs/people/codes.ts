/** The codes of this context's refusals. */
declare module '#kernel' {
  interface DomainCodes {
    cards_used_up: 'answered';
    email_taken: 'answered';
    emails_used_up: 'answered';
    token_changed: 'answered';
    user_not_found: 'answered';
    /** The caller reads the user again and decides again. */
    user_moved: 'handled';
  }
}

export {};
