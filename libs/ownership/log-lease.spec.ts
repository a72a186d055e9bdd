import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type LeaseHolder, Unavailable } from '#eventsourcing';
import { VirtualTime } from '../../test/support/virtual-time.js';
import { LogLease } from './log-lease.js';

const TIMES = { beat: 20, lost: 60, taken: 150, look: 5 };

describe('the lease of a log', () => {
  let note: { revision: number; holder: LeaseHolder | undefined };
  /** Whether this machine's clock may be trusted. */
  let isTrusted: boolean;
  let writes: number;
  let away: boolean;
  let leases: LogLease[];
  let time: VirtualTime;
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
  const take = async (me: LeaseHolder, times = TIMES): Promise<LogLease> => {
    const taking = LogLease.take(
      register,
      me,
      () => undefined,
      time,
      times,
      async () => {
        if (!isTrusted) throw new Unavailable('the clock is wrong');
      },
    );
    const isOver = taking.then(
      () => true,
      () => true,
    );
    const looked = async (milliseconds: number): Promise<boolean> => {
      await time.pass(milliseconds);
      return Promise.race([isOver, Promise.resolve(false)]);
    };
    for (let over = await looked(0); !over;) over = await looked(TIMES.look);
    const lease = await taking;
    leases.push(lease);
    return lease;
  };
  beforeEach(() => {
    [note, writes, away, leases] = [{ revision: -1, holder: undefined }, 0, false, []];
    isTrusted = true;
    time = new VirtualTime();
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
    note = { revision: 4, holder: holder('killed', 'alone', 'here') };
    const began = time.monotonic();
    const next = await take(holder('next', 'alone', 'here'));
    expect(time.monotonic()).toBe(began);
    await next.close();
    await take(holder('elsewhere'));
  });

  describe('whose note the log does not find', () => {
    /** Where notes are kept: the record names it. */
    let moves: number;
    const moving = (
      lost: () => boolean,
    ): typeof register & { moveLease(revision: number): Promise<number | undefined> } => ({
      ...register,
      async readLease() {
        const there = await register.readLease();
        return lost() ? { revision: there.revision, holder: undefined, lost: true } : there;
      },
      async moveLease(revision: number) {
        if (revision !== note.revision) return undefined;
        moves += 1;
        note = { revision: 1_000 * moves, holder: undefined };
        return note.revision;
      },
    });
    const taking = (by: ReturnType<typeof moving>, me: LeaseHolder): Promise<LogLease> => {
      const lease = LogLease.take(by, me, () => undefined, time, TIMES);
      lease.then(
        (taken) => leases.push(taken),
        () => undefined,
      );
      return lease;
    };
    const until = async (promise: Promise<unknown>): Promise<void> => {
      const state = { over: false };
      const end = (): void => void (state.over = true);
      void promise.then(end, end);
      while (!state.over) await time.pass(5);
    };
    beforeEach(() => {
      moves = 0;
    });

    it('may be somebody’s: a start waits their time out, and then names another place', async () => {
      note = { revision: 4, holder: holder('unknown') };
      const began = time.monotonic();
      const lease = taking(
        moving(() => moves === 0),
        holder('next'),
      );
      await until(lease);
      expect(time.monotonic() - began).toBeGreaterThanOrEqual(TIMES.taken);
      expect([moves, note.revision, note.holder?.process, (await lease).held]).toEqual([1, 1_001, 'next', true]);
    });

    it('is moved by its living holder at once, so that whoever waits finds it taken', async () => {
      let lost = false;
      const by = moving(() => lost);
      const first = taking(by, holder('first'));
      await until(first);
      lost = true;
      const second = taking(by, holder('second'));
      await time.pass(TIMES.beat + 5);
      expect(moves).toBe(1);
      lost = false;
      await until(second);
      await expect(second).rejects.toThrow('the one called first');
      expect([(await first).held, note.holder?.process]).toEqual([true, 'first']);
    });

    it('is not moved by a holder that was silent, until an unknown one would have lost it', async () => {
      let lost = false;
      const first = taking(
        moving(() => lost),
        holder('first'),
      );
      await until(first);
      away = true;
      await time.pass(TIMES.lost + TIMES.beat);
      [away, lost] = [false, true];
      await expect((await first).hold()).rejects.toThrow('does not find which process may decide');
      expect(moves).toBe(0);
      await time.pass(TIMES.taken);
      await (await first).hold().catch(() => undefined);
      expect([moves, (await first).held]).toEqual([1, true]);
    });
  });

  it('is taken over from a silent holder, and no sooner', async () => {
    note = { revision: 4, holder: holder('killed', 'alone', 'there') };
    const began = time.monotonic();
    await take(holder('next'));
    expect(time.monotonic() - began).toBe(TIMES.taken);
  });

  it('may be shared by any number, of which one writes for all; a process that does everything is refused beside them', async () => {
    const shared: LogLease[] = [];
    for (const n of [1, 2, 3, 4]) shared.push(await take(holder(`api ${n}`, 'shared')));
    const before = writes;
    await time.pass(10 * TIMES.beat);
    expect(shared.map(({ held }) => held)).toEqual([true, true, true, true]);
    // Each alone would have written ten times.
    expect(writes - before).toBeLessThan(25);
    await expect(take(holder('whole'))).rejects.toThrow('another Holdfast of this installation runs');
  });

  it('outlives an outage: its holder asks and continues', async () => {
    const lease = await take(holder('first'));
    away = true;
    await time.pass(2 * TIMES.lost);
    expect(lease.held).toBe(false);
    await expect(lease.hold()).rejects.toBeInstanceOf(Unavailable);
    away = false;
    expect(await lease.hold()).toBeUndefined();
    expect(lease.held).toBe(true);
  });

  // An older copy has the lease of a process that ended before. Nobody has taken anything over.
  it.each([
    ['alone', 'alone'],
    ['shared', 'alone'],
    ['alone', 'shared'],
  ] as const)(
    'says nothing about who decides while an older copy of the log is put in (%s, then %s)',
    async (mode, former) => {
      const older = { revision: 4, holder: holder('former', former, 'here') };
      note = older;
      const lease = await take(holder('now', mode, 'here'));
      const right = note;
      note = older;
      await expect(lease.hold()).rejects.toBeInstanceOf(Unavailable);
      await time.pass(2 * TIMES.lost);
      expect(lease.held).toBe(false);
      expect(note).toEqual(older);
      note = right;
      expect(await lease.hold()).toBeUndefined();
      expect(lease.held).toBe(true);
    },
  );

  it('is held from the request, not from the answer', async () => {
    const lease = await take(holder('first'));
    const { readLease } = register;
    register.readLease = async () => {
      const answer = await readLease();
      await time.pause(2 * TIMES.lost);
      return answer;
    };
    const asking = lease.hold();
    await time.pass(2 * TIMES.lost);
    expect(await asking).toBeUndefined();
    expect(lease.held).toBe(false);
    register.readLease = readLease;
  });

  it('is not written by one of the sharing processes if another one has written', async () => {
    const times = { ...TIMES, beat: 60_000 };
    const first = await take(holder('one', 'shared'), times);
    await take(holder('two', 'shared'), times);
    const before = writes;
    expect(await first.hold()).toBeUndefined();
    expect(writes).toBe(before);
    // Nobody has written since.
    await first.hold();
    expect(writes).toBe(before + 1);
  });

  it('is lost by a silent holder when another takes it over; the holder finds that out when it asks', async () => {
    const lease = await take(holder('first'));
    note = { revision: note.revision + 7, holder: holder('second') };
    expect(await lease.hold()).toMatchObject({ kind: 'lease' });
    expect(lease.held).toBe(false);
    expect(note.holder?.process).toBe('second');
    await lease.close();
    expect(note.holder?.process).toBe('second');
  });

  it.each([86_400_000, -86_400_000])(
    'is not renewed after a leap of %i ms until the clock may be trusted',
    async (by) => {
      const lease = await take(holder('first', 'shared'));
      const before = writes;
      isTrusted = false;
      time.leap(by);
      expect(lease.held).toBe(false);
      await expect(lease.hold()).rejects.toBeInstanceOf(Unavailable);
      expect([lease.held, writes]).toEqual([false, before]);
      isTrusted = true;
      expect(await lease.hold()).toBeUndefined();
      expect(lease.held).toBe(true);
    },
  );

  it('is read on a new connection, which shows at once that another process has it', async () => {
    const first = await take(holder('first'));
    const before = note;
    expect([await first.look(), note]).toEqual([undefined, before]);
    note = { revision: note.revision + 1, holder: holder('second') };
    expect((await first.look())?.words).toContain('(the one called second)');
    expect(first.held).toBe(false);
  });

  it('stays with a silent holder whose clock is right', async () => {
    const lease = await take(holder('first'));
    away = true;
    await time.pass(TIMES.lost);
    away = false;
    expect(await lease.hold()).toBeUndefined();
    expect(lease.held).toBe(true);
  });
});
