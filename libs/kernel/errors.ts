import type { Position } from './event.js';

/**
 * The codes of all refusals. Each context adds its own in `codes.ts`; an undeclared code does not compile. A code that is
 * `answered` has an entry in the answer table of `libs/http`, which is complete in both directions. A code that is `handled`
 * never leaves its use case.
 */
export interface DomainCodes {
  not_found: 'answered';
  several: 'answered';
}

export type DomainCode = keyof DomainCodes;

/** The codes that callers can see. */
export type AnsweredCode = { [Code in DomainCode]: DomainCodes[Code] extends 'answered' ? Code : never }[DomainCode];

/**
 * A refusal that the caller can act on. Code may branch only on `code`; the table in `libs/http` turns it into an answer.
 * Callers see the details, so details never hold a secret.
 */
export class DomainError extends Error {
  constructor(
    readonly code: DomainCode,
    message: string,
    readonly details: Readonly<Record<string, unknown>> = {},
    /** The position of the last event that the command wrote before its refusal: the answer has it, as after a success. */
    readonly position?: Position,
  ) {
    super(message);
    this.name = 'DomainError';
  }
}

/**
 * The thing named in a path does not exist or is not the caller's: both give the same answer (rulings A5, A8).
 * @param detail what was not found, without a hint about other partners' things
 */
export function notFound(detail: string): DomainError {
  return new DomainError('not_found', 'Unable to find', { detail });
}
