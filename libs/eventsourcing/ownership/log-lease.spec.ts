import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type LeaseHolder, LogLease, Unavailable } from '#eventsourcing';

const TIMES = { beat: 20, lost: 60, taken: 150, look: 5 };
const pause = (time: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, time));

describe('the lease of a log', () => {
  let note: { revision: number; holder: LeaseHolder | undefined };
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
      note = { revision: revision + 1, holder };
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
    const lease = await LogLease.take(register, me, () => undefined, TIMES);
    leases.push(lease);
    return lease;
  };
  beforeEach(() => {
    [note, writes, away, leases] = [{ revision: -1, holder: undefined }, 0, false, []];
  });
  afterEach(async () => {
    away = false;
    for (const lease of leases) await lease.close();
  });

  it('is one process’s alone: another one at another place is refused by name while it lives', async () => {
    const first = await take(holder('first'));
    await expect(take(holder('second'))).rejects.toThrow(
      'another Holdfast of this installation runs on the event log (the one called first)',
    );
    await expect(take(holder('api', 'shared'))).rejects.toThrow('the one called first');
    expect(first.held).toBe(true);
  });

  it('is had at once by whoever starts at the same place, and by anybody once it was given back', async () => {
    note = { revision: 4, holder: holder('killed', 'alone', 'here') };
    const began = performance.now();
    const next = await take(holder('next', 'alone', 'here'));
    expect(performance.now() - began).toBeLessThan(TIMES.taken / 2);
    await next.close();
    await take(holder('elsewhere'));
  });

  it('is taken over from one that is silent, and no sooner', async () => {
    note = { revision: 4, holder: holder('killed', 'alone', 'there') };
    const began = performance.now();
    await take(holder('next'));
    expect(performance.now() - began).toBeGreaterThanOrEqual(TIMES.taken);
  });

  it('is shared by any number, of whom one writes for all; one that does all is refused beside them', async () => {
    const shared = await Promise.all([1, 2, 3, 4].map((n) => take(holder(`api ${n}`, 'shared'))));
    await pause(5);
    const before = writes;
    await pause(10 * TIMES.beat);
    expect(shared.map(({ held }) => held)).toEqual([true, true, true, true]);
    // Each would have written ten times.
    expect(writes - before).toBeLessThan(25);
    await expect(take(holder('whole'))).rejects.toThrow('another Holdfast of this installation runs');
  });

  it('outlives an outage: who held it asks, and goes on', async () => {
    const lease = await take(holder('first'));
    away = true;
    await pause(2 * TIMES.lost);
    expect(lease.held).toBe(false);
    await expect(lease.hold()).rejects.toBeInstanceOf(Unavailable);
    away = false;
    expect(await lease.hold()).toBeUndefined();
    expect(lease.held).toBe(true);
  });

  it('is held from when it was asked for, not from when the answer came', async () => {
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

  it('is not written by one of those that share it when another one has', async () => {
    const times = { ...TIMES, beat: 60_000 };
    const [first] = [
      await LogLease.take(register, holder('one', 'shared'), () => undefined, times),
      await LogLease.take(register, holder('two', 'shared'), () => undefined, times),
    ].map((lease) => {
      leases.push(lease);
      return lease;
    });
    const before = writes;
    expect(await first?.hold()).toBeUndefined();
    expect(writes).toBe(before);
    // Nobody has since.
    await first?.hold();
    expect(writes).toBe(before + 1);
  });

  it('is lost by one that was silent while another took it over, which it finds when it asks', async () => {
    const lease = await take(holder('first'));
    note = { revision: note.revision + 7, holder: holder('second') };
    expect(await lease.hold()).toMatchObject({ kind: 'lease' });
    expect(lease.held).toBe(false);
    expect(note.holder?.process).toBe('second');
    await lease.close();
    expect(note.holder?.process).toBe('second');
  });
});
