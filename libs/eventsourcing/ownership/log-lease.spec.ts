import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { thisMachine } from '#adapters/machine';
import { type LeaseHolder, LogLease, Unavailable } from '#eventsourcing';

const TIMES = { beat: 20, lost: 60, taken: 150, look: 5 };
const pause = (time: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, time));

describe('the lease of a log', () => {
  let note: { revision: number; holder: LeaseHolder | undefined; written: number | undefined };
  /** How far the clock of the log's server is ahead. */
  let ahead: number;
  let writes: number;
  let away: boolean;
  let leases: LogLease[];
  const register = {
    async readLease() {
      if (away) throw new Unavailable('away');
      return note;
    },
    async writeLease(revision: number, holder: LeaseHolder | undefined) {
      if (away) throw new Unavailable('away');
      if (revision !== note.revision) return false;
      note = { revision: revision + 1, holder, written: Date.now() + ahead };
      writes += 1;
      return true;
    },
  };
  const holder = (process: string, mode: LeaseHolder['mode'] = 'alone', place = process): LeaseHolder => ({
    mode,
    place,
    process,
    words: `the one called ${process}`,
  });
  const take = async (me: LeaseHolder): Promise<LogLease> => {
    const lease = await LogLease.take(register, me, () => undefined, thisMachine.time, TIMES);
    leases.push(lease);
    return lease;
  };
  beforeEach(() => {
    [note, writes, away, leases] = [{ revision: -1, holder: undefined, written: undefined }, 0, false, []];
    ahead = 0;
  });
  afterEach(async () => {
    away = false;
    for (const lease of leases) await lease.close();
  });

  it('belongs to one process: another one at another place is refused by name while it lives', async () => {
    const first = await take(holder('first'));
    await expect(take(holder('second'))).rejects.toThrow(
      'another Holdfast of this installation runs on the event log (the one called first)',
    );
    await expect(take(holder('api', 'shared'))).rejects.toThrow('the one called first');
    expect(first.held).toBe(true);
  });

  it('goes immediately to a process at the same place, and to anyone after it was given back', async () => {
    note = { revision: 4, holder: holder('killed', 'alone', 'here'), written: 0 };
    const began = performance.now();
    const next = await take(holder('next', 'alone', 'here'));
    expect(performance.now() - began).toBeLessThan(TIMES.taken / 2);
    await next.close();
    await take(holder('elsewhere'));
  });

  it('is taken over from a silent holder, and no sooner', async () => {
    note = { revision: 4, holder: holder('killed', 'alone', 'there'), written: 0 };
    const began = performance.now();
    await take(holder('next'));
    expect(performance.now() - began).toBeGreaterThanOrEqual(TIMES.taken);
  });

  it('may be shared by any number, of which one writes for all; a process that does everything is refused beside them', async () => {
    const shared = await Promise.all([1, 2, 3, 4].map((n) => take(holder(`api ${n}`, 'shared'))));
    await pause(5);
    const before = writes;
    await pause(10 * TIMES.beat);
    expect(shared.map(({ held }) => held)).toEqual([true, true, true, true]);
    // Each alone would have written ten times.
    expect(writes - before).toBeLessThan(25);
    await expect(take(holder('whole'))).rejects.toThrow('another Holdfast of this installation runs');
  });

  it('outlives an outage: its holder asks and continues', async () => {
    const lease = await take(holder('first'));
    away = true;
    await pause(2 * TIMES.lost);
    expect(lease.held).toBe(false);
    await expect(lease.hold()).rejects.toBeInstanceOf(Unavailable);
    away = false;
    expect(await lease.hold()).toBeUndefined();
    expect(lease.held).toBe(true);
  });

  it('is held from the request, not from the answer', async () => {
    const lease = await take(holder('first'));
    const { readLease } = register;
    register.readLease = async () => {
      const answer = await readLease();
      await pause(2 * TIMES.lost);
      return answer;
    };
    expect(await lease.hold()).toBeUndefined();
    expect(lease.held).toBe(false);
    register.readLease = readLease;
  });

  it('is not written by one of the sharing processes if another one has written', async () => {
    const times = { ...TIMES, beat: 60_000 };
    const [first] = [
      await LogLease.take(register, holder('one', 'shared'), () => undefined, thisMachine.time, times),
      await LogLease.take(register, holder('two', 'shared'), () => undefined, thisMachine.time, times),
    ].map((lease) => {
      leases.push(lease);
      return lease;
    });
    const before = writes;
    expect(await first?.hold()).toBeUndefined();
    expect(writes).toBe(before);
    // Nobody has written since.
    await first?.hold();
    expect(writes).toBe(before + 1);
  });

  it('is lost by a silent holder when another takes it over; the holder finds that out when it asks', async () => {
    const lease = await take(holder('first'));
    note = { revision: note.revision + 7, holder: holder('second'), written: Date.now() };
    expect(await lease.hold()).toMatchObject({ kind: 'lease' });
    expect(lease.held).toBe(false);
    expect(note.holder?.process).toBe('second');
    await lease.close();
    expect(note.holder?.process).toBe('second');
  });

  it.each([
    [120_000, /120 s behind that of the event log’s server/],
    [-120_000, /120 s ahead of that of the event log’s server/],
  ])('is not given to a process whose clock is wrong by %i ms', async (by, words) => {
    ahead = by;
    const lease = await take(holder('wrong', 'shared'));
    expect(lease.held).toBe(false);
    expect(await lease.hold()).toMatchObject({ stream: undefined, words: expect.stringMatching(words) });
  });

  it.each([86_400_000, -86_400_000])('is asked for again after the clock has leapt by %i ms', async (by) => {
    const lease = await take(holder('first', 'shared'));
    const right = Date.now;
    const clock = jest.spyOn(Date, 'now').mockImplementation(() => right() + by);
    ahead = -by;
    expect(lease.held).toBe(false);
    expect(await lease.hold()).toMatchObject({ words: expect.stringContaining('86400 s') });
    clock.mockRestore();
  });

  it('stays with a silent holder whose clock is right', async () => {
    const lease = await take(holder('first'));
    away = true;
    await pause(TIMES.lost + 10);
    away = false;
    expect(await lease.hold()).toBeUndefined();
    expect(lease.held).toBe(true);
  });
});
