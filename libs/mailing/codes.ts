/** The codes of this context's refusals. */
declare module '#kernel' {
  interface DomainCodes {
    batch_invalid: 'handled';
  }
}

export {};
