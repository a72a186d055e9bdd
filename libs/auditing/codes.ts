/** The codes of this context's refusals. */
declare module '#kernel' {
  interface DomainCodes {
    event_type_unknown: 'answered';
    no_event_there: 'answered';
  }
}

export {};
