/**
 * A refusal that the caller can act on. `code` is the only thing that code may branch on; the table in `libs/http` turns
 * it into an answer. Details are shown to callers, so they never hold a secret.
 */
export class DomainError extends Error {
  constructor(
    readonly code: string,
    message: string,
    readonly details: Readonly<Record<string, unknown>> = {},
  ) {
    super(message);
    this.name = 'DomainError';
  }
}

/**
 * What a path names is not there, or is not the caller's: both read the same (rulings A5, A8).
 * @param detail what was looked for, in words that tell nothing of what others have
 */
export function notFound(detail: string): DomainError {
  return new DomainError('not_found', 'Unable to find', { detail });
}
