/** Under which codes this context refuses. */
declare module '#kernel' {
  interface DomainCodes {
    secrets_lost: 'answered';
    slug_taken: 'answered';
  }
}

export {};
