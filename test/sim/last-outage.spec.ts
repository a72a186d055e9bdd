import { describe, expect, it } from '@jest/globals';
import { Seeded } from './core/seeded.js';
import { LastOutage } from './last-outage.js';
import type { Answer, Request } from './world/installation.js';

const MINUTE = 60_000;
const TOO_EARLY: Answer = { status: 422, headers: {}, text: 'must not be before the present time' };
const MOVED: Answer = { status: 200, headers: {}, text: '' };

/** Begins the outage of a world whose service gives these answers; its clock has gone on by ten minutes after each. */
async function begin(answers: readonly Answer[]): Promise<readonly string[]> {
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
  const installation = { stopWrites: () => undefined, log: { onWritten: () => undefined } };
  const random = { of: () => Object.assign(new Seeded('any'), { chance: () => false }) };
  await new LastOutage({ random } as never, installation as never, workload as never).begin();
  return asked;
}

describe('the outage at the end of a world', () => {
  it('begins when the clock moves to the end of all holds', async () => {
    expect(await begin([MOVED])).toEqual([new Date(5 * MINUTE).toISOString()]);
  });

  // Worlds 300405 and 300467: the clients saw the time of an older copy of the log, until the right one was back.
  it('moves the clock from the right time if the service has learned of it meanwhile', async () => {
    const asked = [new Date(5 * MINUTE).toISOString(), new Date(15 * MINUTE).toISOString()];
    expect(await begin([TOO_EARLY, MOVED])).toEqual(asked);
  });

  it('fails if the service refuses the move for another reason', async () => {
    await expect(begin([{ status: 422, headers: {}, text: 'must be a time' }])).rejects.toThrow('must be a time');
  });
});
