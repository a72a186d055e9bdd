import { DomainError } from './errors.js';

/** Several refusals of one command: its answer has all of them at once, in this order (ruling G4). */
export class Refusals extends DomainError {
  constructor(readonly all: readonly DomainError[]) {
    super('several', all.map(({ message }) => message).join('; '));
  }
}

/** The only refusal, or all in one. @param all at least one */
export function oneOrAll(all: readonly DomainError[]): DomainError {
  const [only] = all;
  return only !== undefined && all.length === 1 ? only : new Refusals(all);
}

/**
 * Runs every check, also after one has refused. A check may rely only on itself: those before it may have refused.
 * @throws DomainError the only refusal, or `Refusals` with all of them
 */
export function refuseTogether(...checks: readonly (() => void)[]): void {
  const refusals: DomainError[] = [];
  for (const check of checks) {
    try {
      check();
    } catch (error) {
      refusals.push(...refusalsIn(error));
    }
  }
  throwAll(refusals);
}

/** The same for checks that wait; they run one after another. */
export async function refuseAllTogether(...checks: readonly (() => Promise<void>)[]): Promise<void> {
  const refusals: DomainError[] = [];
  for (const check of checks) {
    try {
      await check();
    } catch (error) {
      refusals.push(...refusalsIn(error));
    }
  }
  throwAll(refusals);
}

/** @throws the error itself, if it is no refusal */
function refusalsIn(error: unknown): readonly DomainError[] {
  if (!(error instanceof DomainError)) throw error;
  return error instanceof Refusals ? error.all : [error];
}

function throwAll(refusals: readonly DomainError[]): void {
  if (refusals.length > 0) throw oneOrAll(refusals);
}
