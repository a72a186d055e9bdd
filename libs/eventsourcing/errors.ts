/** Under which codes the engine refuses. */
declare module '#kernel' {
  interface DomainCodes {
    person_erased: 'answered';
    too_large: 'answered';
  }
}

/**
 * The service cannot take the call now: overloaded, behind, or its log has failed. The caller may repeat it; what became
 * of a write that was under way is not known.
 */
export class Unavailable extends Error {
  override name = 'Unavailable';
  constructor(
    message: string,
    /** Seconds after which a repeat makes sense. */
    readonly retryAfter = 1,
  ) {
    super(message);
  }
}
