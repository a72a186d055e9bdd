import { LookAgain } from '#kernel';
import type { CommandContext } from '../command-loop/context.js';
import { Unavailable } from '../errors.js';

/** Each further look follows thousands of closings since the one before. */
const MOST_LOOKS = 3;

/**
 * Runs a start that first looks whether an earlier try has come so far. It runs again while its decider has forgotten too much since
 * that look; then as a resumed command, because another try under the same id may have come further meanwhile.
 * @throws Unavailable if looking takes longer than the decider remembers
 */
export async function lookingAgain<T>(
  context: CommandContext,
  start: (context: CommandContext) => Promise<T>,
): Promise<T> {
  let present = context;
  for (let looks = 0; looks < MOST_LOOKS; looks += 1) {
    try {
      return await start(present);
    } catch (error) {
      if (!(error instanceof LookAgain)) throw error;
      present = { ...context, resumed: true };
    }
  }
  throw new Unavailable('others change this too fast', 1);
}
