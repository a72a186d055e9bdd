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
