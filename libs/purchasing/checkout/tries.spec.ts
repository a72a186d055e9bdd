import { beforeEach, describe, expect, it } from '@jest/globals';
import type { DomainError } from '#kernel';
import { VirtualTime } from '../../../test/support/virtual-time.js';
import { DECLINES_COUNT_FOR, type DeclinedTries } from './declined-tries.view.js';
import { Tries, type EndTry, type Payer } from './tries.js';
import { engineOf } from '../../../test/support/engine-of.js';

const ANN: Payer = { user_id: 'ann', number_hash: 'n1' };
const BOB: Payer = { user_id: 'bob', number_hash: 'n1' };

describe('I12: declined tries', () => {
  let time: VirtualTime;
  let rows: DeclinedTries[];
  let reads: number;
  let purchases = 0;
  let tries: Tries;

  function newTries(limits = { card: 2 as number | null, user: 3 as number | null }): Tries {
    const reader = {
      find: async () => {
        reads += 1;
        return rows.map((row) => ({ row }));
      },
    };
    const engine = engineOf({
      views: { reader: () => reader },
      freshness: { until: async () => undefined },
      log: { head: async () => 7n },
      clock: { now: () => time.wall() },
      time,
    });
    return new Tries(engine.reader, engine.clock, engine.time, limits);
  }
  /** A decline, as it is in the log. */
  const decline = ({ user_id, number_hash = '' }: Payer, at = time.wall()): void =>
    tries.note({
      type: 'purchase-declined.v1',
      data: { purchase_id: `p${++purchases}`, user_id, number_hash },
      metadata: { time: at },
    });
  const tryOnce = async (payer: Payer): Promise<void> => (await tries.begin(payer))(false);
  const secondsToWait = async (payer: Payer): Promise<number> => {
    try {
      await tryOnce(payer);
      return 0;
    } catch (error) {
      const { code, details } = error as DomainError;
      expect(code).toBe('declined');
      return Number(details['retry_after']);
    }
  };

  beforeEach(() => {
    time = new VirtualTime();
    rows = [];
    reads = 0;
    tries = newTries();
  });

  it('end at the limit of the card, for every user, until the oldest is an hour old', async () => {
    decline(ANN);
    await time.pass(60_000);
    decline(BOB);
    expect(await secondsToWait({ user_id: 'carl', number_hash: 'n1' })).toBe(3_540);
    expect(await secondsToWait({ user_id: 'carl', number_hash: 'n2' })).toBe(0);
    await time.pass(DECLINES_COUNT_FOR - 60_001);
    expect(await secondsToWait(ANN)).toBe(1);
    await time.pass(1);
    await tryOnce(ANN);
    decline(ANN);
    // Now the decline of Bob's is the oldest.
    expect(await secondsToWait(ANN)).toBe(60);
  });

  it('end at the limit of the user, with any card; the longest wait counts', async () => {
    for (const number_hash of ['n1', 'n2', 'n3']) decline({ user_id: 'ann', number_hash }, time.wall() - 600_000);
    expect(await secondsToWait({ user_id: 'ann', number_hash: 'n4' })).toBe(3_000);
    decline(BOB);
    expect(await secondsToWait(ANN)).toBe(3_000);
    decline(BOB);
    expect(await secondsToWait(ANN)).toBe(3_600);
  });

  it('beyond the limit wait until fewer than the limit count', async () => {
    for (const ago of [1_800_000, 1_200_000, 600_000]) decline(ANN, time.wall() - ago);
    expect(await secondsToWait(BOB)).toBe(2_400);
  });

  it.each([
    ['neither', { card: null, user: null }, 0, 0],
    ['only the card', { card: 1, user: null }, 3_600, 0],
    ['only the user', { card: null, user: 1 }, 0, 3_600],
  ])('a limit of %s', async (_, limits, ofCard, ofUser) => {
    tries = newTries(limits);
    decline(ANN);
    expect(await secondsToWait(BOB)).toBe(ofCard);
    expect(await secondsToWait({ user_id: 'ann', number_hash: 'n2' })).toBe(ofUser);
  });

  it('do not count for a card that is not known, nor other events', async () => {
    decline(ANN);
    tries.note({ type: 'purchase-charged.v1', data: { user_id: 'ann' }, metadata: { time: time.wall() } });
    tries.note({ type: 'deal-created.v1', data: {}, metadata: { time: time.wall() } });
    expect(await secondsToWait({ user_id: 'ann', number_hash: undefined })).toBe(0);
  });

  it('of the last hour are read once, before the first try', async () => {
    const at = time.wall() - 10_000;
    rows = [
      {
        who: 'card-n1',
        tries: [
          { purchase_id: 'a', at: at - DECLINES_COUNT_FOR },
          { purchase_id: 'b', at },
        ],
      },
    ];
    // The same decline may come with the log, too.
    tries.note({
      type: 'purchase-declined.v1',
      data: { purchase_id: 'b', user_id: 'carl', number_hash: 'n1' },
      metadata: { time: at },
    });
    await tryOnce(ANN);
    decline(ANN);
    expect(await secondsToWait(ANN)).toBe(3_590);
    expect(reads).toBe(1);
  });

  it('are read again if that fails', async () => {
    const failing = newTries();
    rows = undefined as never;
    await expect(failing.begin(ANN)).rejects.toThrow();
    rows = [];
    await expect(failing.begin(ANN)).resolves.toBeInstanceOf(Function);
  });

  describe('under way', () => {
    /** Begins a try; what it has come to so far. */
    function begun(payer: Payer): { end?: EndTry; error?: unknown } {
      const seen: { end?: EndTry; error?: unknown } = {};
      void tries.begin(payer).then(
        (end) => (seen.end = end),
        (error: unknown) => (seen.error = error),
      );
      return seen;
    }

    it('are at most as many as could still be declined; the others wait for their outcome', async () => {
      const [one, two, three] = [begun(ANN), begun(BOB), begun({ user_id: 'carl', number_hash: 'n1' })];
      await time.pass(0);
      expect([one.end, two.end, three.end].map((end) => end !== undefined)).toEqual([true, true, false]);
      decline(ANN);
      one.end?.(false);
      await time.pass(0);
      expect(three).toEqual({});
      decline(BOB);
      two.end?.(false);
      await time.pass(0);
      expect(three.error).toMatchObject({ code: 'declined' });
    });

    it('let others go on when they were not declined', async () => {
      const tried = [begun(ANN), begun(BOB), begun(BOB)];
      await time.pass(0);
      tried[0]?.end?.(false);
      await time.pass(0);
      expect(tried[2]?.end).toBeDefined();
    });

    it('are any number for a card that was taken, until it is declined', async () => {
      (await tries.begin(ANN))(true);
      const payers = ['a', 'b', 'c', 'd'].map((user_id) => ({ user_id, number_hash: 'n1' }));
      const tried = payers.map(begun);
      await time.pass(0);
      expect(tried.every(({ end }) => end !== undefined)).toBe(true);
      decline(ANN);
      const next = begun(BOB);
      await time.pass(0);
      expect(next).toEqual({});
    });

    it('that do not end in time make the others unavailable, and nothing else is refused later', async () => {
      const tried = [begun(ANN), begun(BOB), begun(BOB)];
      await time.pass(4_999);
      expect(tried[2]).toEqual({});
      await time.pass(1);
      expect(tried[2]?.error).toMatchObject({ name: 'Unavailable', retryAfter: 1 });
      tried[0]?.end?.(false);
      tried[1]?.end?.(false);
      await tryOnce(BOB);
    });
  });
});
