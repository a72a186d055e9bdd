/** The codes of this context's refusals. */
declare module '#kernel' {
  interface DomainCodes {
    buyer_is_user: 'answered';
  }
}

export {};
