import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { thisMachine } from '#adapters/machine';
import { Freshness, Unavailable } from '#eventsourcing';

const [deals, stock] = [{ name: 'deals' }, { name: 'stock' }];

describe('A8: how new a read is', () => {
  let freshness: Freshness;
  beforeEach(() => {
    jest.useFakeTimers();
    freshness = new Freshness(thisMachine.time);
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  const outcome = async (asked: Promise<void>): Promise<() => unknown> => {
    let known: unknown = 'waits';
    asked.then(
      () => (known = 'fresh'),
      (error: unknown) => (known = error),
    );
    await jest.advanceTimersByTimeAsync(0);
    return () => known;
  };

  it('does not wait for positions that the views have seen', async () => {
    freshness.reached([{ view: 'deals', position: 5n }]);
    expect((await outcome(freshness.until([deals], 5n)))()).toBe('fresh');
  });

  it('waits until every view has reached the position', async () => {
    freshness.reached([{ view: 'deals', position: 5n }]);
    const known = await outcome(freshness.until([deals, stock], 5n));
    expect(known()).toBe('waits');
    freshness.reached([{ view: 'stock', position: 4n }]);
    await jest.advanceTimersByTimeAsync(100);
    expect(known()).toBe('waits');
    freshness.reached([{ view: 'stock', position: 6n }]);
    await jest.advanceTimersByTimeAsync(0);
    expect(known()).toBe('fresh');
  });

  it('rejects the reader after two seconds in all, and names the view and its lag', async () => {
    freshness.reached([{ view: 'stock', position: 3n }]);
    const known = await outcome(freshness.until([deals, stock], 10n));
    await jest.advanceTimersByTimeAsync(1_900);
    freshness.reached([{ view: 'deals', position: 10n }]);
    await jest.advanceTimersByTimeAsync(99);
    expect(known()).toBe('waits');
    await jest.advanceTimersByTimeAsync(1);
    expect(known()).toBeInstanceOf(Unavailable);
    expect(known()).toMatchObject({ message: 'the view stock is 7 positions behind what was written' });
    expect(jest.getTimerCount()).toBe(0);
  });

  it('waits for a view without a report, even for a reader that wrote nothing', async () => {
    const known = await outcome(freshness.until([deals], 0n));
    expect(known()).toBe('waits');
    freshness.reached([{ view: 'deals', position: 0n }]);
    await jest.advanceTimersByTimeAsync(0);
    expect(known()).toBe('fresh');
  });

  it('says that a view without a report cannot be read yet, because its lag is unknown', async () => {
    const known = await outcome(freshness.until([deals], 0n));
    await jest.advanceTimersByTimeAsync(2_000);
    expect(known()).toMatchObject({ name: 'Unavailable', message: 'the view deals cannot be read yet' });
  });

  it('remembers the last position of each partner', () => {
    freshness.wrote('acme', 5n);
    freshness.wrote('acme', 3n);
    freshness.wrote('rival', 9n);
    const last = ['acme', 'rival', 'other', undefined].map((partner) => freshness.lastFor(partner));
    expect(last).toEqual([5n, 9n, 0n, 0n]);
  });

  it('remembers an operator’s writes for everyone', () => {
    freshness.wrote('acme', 5n);
    freshness.wrote('rival', 9n);
    freshness.operatorWrote(7n);
    freshness.operatorWrote(6n);
    const last = ['acme', 'rival', 'other', undefined].map((partner) => freshness.lastFor(partner));
    expect(last).toEqual([7n, 9n, 7n, 7n]);
  });

  it('waits for another process’s writes if the log is shared', async () => {
    freshness.followedTo(4n);
    const known = await outcome(freshness.untilFollowed(5n));
    expect(known()).toBe('waits');
    freshness.followedTo(5n);
    await jest.advanceTimersByTimeAsync(0);
    expect(known()).toBe('fresh');
    const never = await outcome(freshness.untilFollowed(6n));
    await jest.advanceTimersByTimeAsync(2_000);
    expect(never()).toMatchObject({ name: 'Unavailable', message: 'the log is 1 positions behind what was written' });
  });

  it('does not wait for a follower if only this process writes', async () => {
    expect((await outcome(freshness.untilFollowed(9n)))()).toBe('fresh');
  });

  it('reports that a reader waits, and only then', async () => {
    freshness.onWait = jest.fn();
    freshness.reached([{ view: 'deals', position: 5n }]);
    await outcome(freshness.until([deals], 5n));
    expect(freshness.onWait).not.toHaveBeenCalled();
    await outcome(freshness.until([deals], 6n).catch(() => undefined));
    expect(freshness.onWait).toHaveBeenCalledTimes(1);
  });

  it('knows whether a reader waits for a view; a reader of the log needs no look at the views', async () => {
    freshness.onWait = jest.fn();
    freshness.followedTo(1n);
    await outcome(freshness.untilFollowed(2n).catch(() => undefined));
    expect(freshness.isAwaited).toBe(false);
    expect(freshness.onWait).not.toHaveBeenCalled();
    await outcome(freshness.until([deals], 6n));
    expect(freshness.isAwaited).toBe(true);
    freshness.reached([{ view: 'deals', position: 6n }]);
    expect(freshness.isAwaited).toBe(false);
  });
});
