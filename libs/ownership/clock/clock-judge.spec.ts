import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { LogConnection } from '#eventsourcing';
import { VirtualTime } from '../../../test/support/virtual-time.js';
import { ClockJudge } from './clock-judge.js';

describe('D2: whose clock is wrong, if a process and its log’s server differ', () => {
  let time: VirtualTime;
  /** By how much the clock of the present leader is ahead of the world's. */
  let leader: { name: string; ahead: number } | undefined;
  /** By how much this machine's is. */
  let ahead: number;
  let told: string[];
  let judge: ClockJudge;

  beforeEach(() => {
    time = new VirtualTime();
    [leader, ahead, told] = [{ name: 'one:2113', ahead: 0 }, 0, []];
    const connect = async (): Promise<LogConnection> => {
      if (leader === undefined) throw new Error('no leader');
      const { name: server, ahead: by } = leader;
      return {
        server,
        isPast: async (instant: number) => time.wall() - ahead + by > instant,
      } as unknown as LogConnection;
    };
    judge = new ClockJudge(
      connect,
      {
        refused: ({ words }) => told.push(`refused: ${words}`),
        trusted: () => told.push('trusted'),
        server: (words) => told.push(words),
      },
      time,
    );
  });
  afterEach(() => judge.close());

  const leap = (by: number): void => {
    time.leap(by);
    ahead += by;
  };

  it('this machine’s is not trusted at a start, which knows nothing: by how much, and against whose', async () => {
    leader = { name: 'two:2113', ahead: 20_000 };
    expect(await judge.ask()).toMatchObject({ kind: 'clock', stream: undefined });
    expect(told).toEqual([
      expect.stringMatching(
        /^refused: This machine’s clock is 20 s behind that of the event log’s server \(two:2113\).* Nobody knows which of them is wrong/,
      ),
    ]);
    await expect(judge.trust()).rejects.toMatchObject({ name: 'Unavailable' });
    leader = { name: 'one:2113', ahead: 0 };
    expect(await judge.ask()).toBeUndefined();
    expect(told.at(-1)).toBe('trusted');
  });

  it('the leader’s is wrong if this machine’s agreed before and has not leapt: warned of once, by name, and sales go on', async () => {
    await judge.ask();
    for (const times of [1, 2]) {
      leader = { name: 'two:2113', ahead: 20_000 };
      await time.pass(3_600_000 * times);
      expect(await judge.ask()).toBeUndefined();
      expect(judge.wrongServer).toBe('two:2113');
      await judge.trust();
    }
    expect(told).toEqual([
      expect.stringMatching(/^the clock of the event log’s server \(two:2113\) is 20 s ahead: .* Sales go on/),
    ]);
    leader = { name: 'one:2113', ahead: 0 };
    await judge.ask();
    expect(told.at(-1)).toMatch(/agree again/);
    expect(judge.wrongServer).toBeUndefined();
  });

  it.each([86_400_000, -86_400_000])('this machine’s is not trusted after it has leapt by %i ms', async (by) => {
    await judge.ask();
    leap(by);
    expect((await judge.ask())?.words).toMatch(/86400 s (ahead of|behind) that .* It has leapt since the two agreed/);
    leap(-by);
    expect(await judge.ask()).toBeUndefined();
  });

  it('a machine that slept, or was set right, is trusted', async () => {
    await judge.ask();
    // The time of the world went on, too.
    time.leap(20_000);
    expect(await judge.ask()).toBeUndefined();
    leader = { name: 'two:2113', ahead: 20_000 };
    expect(await judge.ask()).toBeUndefined();
  });

  it('no answer is no finding', async () => {
    await judge.ask();
    leader = undefined;
    judge.doubt();
    await expect(judge.ask()).rejects.toThrow('no leader');
    expect(judge.finding).toBeUndefined();
  });

  it('a clock that is not trusted is compared every second, and others now and then', async () => {
    await judge.ask();
    judge.watch();
    leap(86_400_000);
    await time.pass(60_000);
    expect(judge.finding).toBeDefined();
    leap(-86_400_000);
    await time.pass(1_000);
    expect(judge.finding).toBeUndefined();
  });
});
