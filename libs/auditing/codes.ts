/** The codes of this context's refusals. */
declare module '#kernel' {
  interface DomainCodes {
    actor_unknown: 'answered';
    as_of_unknown: 'answered';
    event_type_unknown: 'answered';
    last_of_all: 'answered';
    no_event_there: 'answered';
    no_event_until: 'answered';
  }
}

export {};
