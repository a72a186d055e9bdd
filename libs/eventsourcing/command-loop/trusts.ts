import type { DecisionGuard } from '../ports/decision-guard.js';

/** Whether decisions on a stream may be made without asking the guard. */
export function trusts(guard: Pick<DecisionGuard, 'open' | 'refuses'>, stream: string): boolean {
  return guard.open && !guard.refuses(stream);
}
