/**
 * The codes of all refusals. Each context adds its own in its `codes.ts`, so that a code that nobody declared does not
 * compile. One that is `answered` has its answer in the table of `libs/http`, which is complete in both directions; one that
 * is `handled` never leaves the use case that meets it.
 */
export interface DomainCodes {
  not_found: 'answered';
}

export type DomainCode = keyof DomainCodes;

/** The codes that callers meet. */
export type AnsweredCode = { [Code in DomainCode]: DomainCodes[Code] extends 'answered' ? Code : never }[DomainCode];

/**
 * A refusal that the caller can act on. `code` is the only thing that code may branch on; the table in `libs/http` turns
 * it into an answer. Details are shown to callers, so they never hold a secret.
 */
export class DomainError extends Error {
  constructor(
    readonly code: DomainCode,
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
