/** The codes of this context's refusals. */
declare module '#kernel' {
  interface DomainCodes {
    key_name_taken: 'answered';
    keys_used_up: 'answered';
    secrets_lost: 'answered';
    slug_taken: 'answered';
  }
}

export {};
