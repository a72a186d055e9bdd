import { describe, expect, it } from '@jest/globals';
import type { Answer, Request } from '../world/installation.js';
import { Workload } from './workload.js';

const MINUTE = 60_000;
const refused = (text: string): Answer => ({ status: 422, headers: {}, text });
const MOVED: Answer = { status: 200, headers: {}, text: '' };

/** Moves the clock of a service on by five minutes. It gives these answers; its clock has gone on by ten minutes after each. */
async function move(answers: readonly Answer[]): Promise<readonly string[]> {
  const asked: string[] = [];
  let now = 0;
  const workload = {
    clock: { now: () => now },
    insist({ body }: Request, _: string, isWanted: (answer: Answer) => boolean) {
      const answer = answers[asked.length];
      if (answer === undefined || !isWanted(answer)) throw new Error(`not wanted: ${answer?.text}`);
      asked.push((body as { readonly now: string }).now);
      now += 10 * MINUTE;
      return Promise.resolve(answer);
    },
  };
  await Workload.prototype.moveClockOn.call(workload as never, (from) => from + 5 * MINUTE);
  return asked;
}

describe('G10: a client that moves the clock at the end of a world', () => {
  it('moves it from the present time', async () => {
    expect(await move([MOVED])).toEqual([new Date(5 * MINUTE).toISOString()]);
  });

  // Worlds 300405 and 300467: the clients saw the time of an older copy of the log, until the right one was back. World 370054:
  // a move of another client had arrived without an answer.
  it.each(['the present time', 'the time of another move'])(
    'moves it again if it must not be before %s, which the service has learned meanwhile',
    async (time) => {
      const asked = [new Date(5 * MINUTE).toISOString(), new Date(15 * MINUTE).toISOString()];
      expect(await move([refused(`must not be before ${time}`), MOVED])).toEqual(asked);
    },
  );

  it('fails if the service refuses the move for another reason', async () => {
    await expect(move([refused('must be a time')])).rejects.toThrow('must be a time');
  });
});
