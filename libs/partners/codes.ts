/** The codes of this context's refusals. */
declare module '#kernel' {
  interface DomainCodes {
    secrets_lost: 'answered';
    slug_taken: 'answered';
  }
}

export {};
