/** Under which codes this context refuses. */
declare module '#kernel' {
  interface DomainCodes {
    email_taken: 'answered';
    token_changed: 'answered';
    user_not_found: 'answered';
    /** Decided anew by whoever meets it. */
    user_moved: 'handled';
  }
}

export {};
