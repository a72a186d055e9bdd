/** The codes of the engine's refusals. */
declare module '#kernel' {
  interface DomainCodes {
    list_too_costly: 'answered';
    page_too_large: 'answered';
    person_erased: 'answered';
    stream_of_others: 'answered';
    too_large: 'answered';
  }
}

/**
 * The service cannot take the call now: it is overloaded or behind, or its log has failed. The caller may repeat the call.
 * Whether a write under way was done is unknown.
 */
export class Unavailable extends Error {
  override name = 'Unavailable';
  constructor(
    message: string,
    /** Seconds to wait before a repeat. */
    readonly retryAfter = 1,
    /** The stream that cannot be used: for the log, never for callers. */
    readonly stream?: string,
  ) {
    super(message);
  }
}
