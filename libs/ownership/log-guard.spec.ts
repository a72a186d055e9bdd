import { beforeEach, describe, expect, it } from '@jest/globals';
import { thisMachine } from '#adapters/machine';
import { type Finding, findingOf, gapFinding, Unavailable, unknownFinding, unreadableFinding } from '#eventsourcing';
import { type HeldLease, LogGuard } from './log-guard.js';

const turns = async (): Promise<void> => {
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
};

describe('passing the guard', () => {
  let held: boolean;
  let hold: () => Promise<Finding | undefined>;
  let check: () => Promise<readonly Finding[]>;
  const lease: HeldLease = {
    get held() {
      return held;
    },
    hold: () => hold(),
  };
  const guardOf = (accepted: readonly string[] = []): LogGuard =>
    new LogGuard({
      check: () => check(),
      accepted: new Set(accepted),
      notice: () => undefined,
      lease,
      time: thisMachine.time,
    });
  /** Whether the caller has passed so far. */
  const asked = (guard: LogGuard): (() => boolean) => {
    let passed = false;
    guard.passed().then(
      () => (passed = true),
      () => undefined,
    );
    return () => passed;
  };

  beforeEach(() => {
    held = true;
    hold = async () => undefined;
    check = async () => [];
  });

  it('waits for a check that began during the request for the lease', async () => {
    const answered = Promise.withResolvers<undefined>();
    const checked = Promise.withResolvers<readonly Finding[]>();
    held = false;
    hold = async () => {
      await answered.promise;
      held = true;
      return undefined;
    };
    check = () => checked.promise;
    const guard = guardOf();
    const passed = asked(guard);
    guard.doubt();
    answered.resolve(undefined);
    await turns();
    expect(passed()).toBe(false);
    checked.resolve([]);
    await turns();
    expect(passed()).toBe(true);
  });

  // The process stood still while the answer was under way.
  it('asks for the lease again if the answer came too late', async () => {
    const answers = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
    let asks = 0;
    held = false;
    hold = async () => {
      await answers[asks++]?.promise;
      held = asks === 2;
      return undefined;
    };
    const guard = guardOf();
    const passed = asked(guard);
    answers[0]?.resolve(undefined);
    await turns();
    expect([asks, passed()]).toEqual([2, false]);
    answers[1]?.resolve(undefined);
    await turns();
    expect(passed()).toBe(true);
  });

  it('waits until a log that could not be asked answers', async () => {
    let asks = 0;
    check = async () => {
      asks += 1;
      if (asks < 3) throw new Unavailable('away');
      return [];
    };
    const guard = guardOf();
    guard.doubt();
    await guard.passed();
    expect([asks, guard.uncertain]).toEqual([3, false]);
  });

  it('is not waited for once the guard is closed: nothing is checked any more', async () => {
    const guard = guardOf();
    guard.close();
    guard.doubt();
    await turns();
    expect(guard.doubtful).toBe(false);
  });

  it('fails while another process has the lease, even if it was asked for in time', async () => {
    held = false;
    hold = async () => findingOf('lease', 'taken', ['other']);
    const guard = guardOf();
    await expect(guard.passed()).rejects.toThrow('the event log needs an operator');
    expect(guard.refused).toBe(true);
  });

  // One cause, one code to accept.
  it('fails after a view contradicts the log; the log is asked first and may say more', async () => {
    const [view, mark] = [findingOf('view', 'a view', []), findingOf('mark', 'the log', [])];
    for (const [found, reported] of [
      [[mark], mark],
      [[], view],
    ] as const) {
      check = async () => found;
      const guard = guardOf();
      await guard.refuseAfterCheck(view);
      expect(guard.findings).toEqual([reported]);
    }
  });

  it('fails for a later gap of a stream in which another’s event was accepted', () => {
    const stranger = { ...findingOf('stranger', 'not ours', [7, 'id'], 'deal-a'), at: 7 };
    const cut = findingOf('cut', 'cut', ['$maxCount 1'], 'deal-b');
    const guard = guardOf([stranger.code, cut.code]);
    const refused = (finding: Finding | undefined): boolean => {
      if (finding === undefined) throw new Error('there is a gap');
      return guard.refuse(finding);
    };
    expect([refused(stranger), refused(cut)]).toEqual([false, false]);
    expect(refused(gapFinding('deal-b', 0, [{ revision: 5 }]))).toBe(false);
    expect(refused(gapFinding('deal-a', 7, [{ revision: 8 }]))).toBe(false);
    expect(refused(gapFinding('deal-a', 7, [{ revision: 9 }]))).toBe(true);
    expect(refused(gapFinding('deal-a', 0, [{ revision: 3 }]))).toBe(true);
  });

  it('accepts no finding of a stream whose kind nobody can accept', () => {
    const found = [unreadableFinding('deal-a', 'a page is damaged'), unknownFinding('deal-b')];
    const guard = guardOf(found.map(({ code }) => code));
    expect(found.map((finding) => guard.refuse(finding))).toEqual([true, true]);
  });

  describe('over connections that may be replaced', () => {
    let steps: string[];
    const connectingGuard = (): LogGuard =>
      new LogGuard({
        connect: async () => {
          steps.push('connects');
          return {
            record: async () => undefined,
            own: async () => false,
            head: async () => 0n,
            eventAt: async () => undefined,
            allow: () => void steps.push('allows'),
          };
        },
        check: async () => {
          steps.push('checks');
          return check();
        },
        accepted: new Set(),
        notice: () => steps.push('refuses'),
        time: thisMachine.time,
      });

    beforeEach(() => {
      steps = [];
    });

    it('allows the connection that was there before the check, and only after it', async () => {
      const guard = connectingGuard();
      await guard.begin(async () => {
        steps.push('checks first');
        return [];
      });
      guard.doubt();
      await guard.passed();
      expect(steps).toEqual(['connects', 'checks first', 'allows', 'connects', 'checks', 'allows']);
    });

    it('allows none if the log is refused', async () => {
      const guard = connectingGuard();
      check = async () => [findingOf('mark', 'behind', [1])];
      await guard.begin(check);
      guard.doubt();
      await expect(guard.passed()).rejects.toThrow('the event log needs an operator');
      expect(steps).toEqual(['connects', 'refuses', 'connects', 'checks']);
    });

    it('allows it in spite of a finding about one stream', async () => {
      const guard = connectingGuard();
      await guard.begin(async () => [findingOf('stranger', 'not ours', [7], 'deal-a')]);
      expect(steps).toEqual(['connects', 'refuses', 'allows']);
    });
  });

  describe('with more findings than anyone can look at', () => {
    const stranger = (stream: string, at: number): Finding => findingOf('stranger', 'not ours', [at], stream);

    it('refuses every stream with a finding, shows the first ones and counts the others', async () => {
      const guard = guardOf();
      for (let n = 0; n < 5_000; n += 1) for (const _ of ['found', 'and again']) guard.refuse(stranger(`deal-${n}`, 0));
      expect([guard.findings.length, guard.unreported, guard.refused]).toEqual([100, 4_900, false]);
      expect(guard.refuses('deal-4999')).toBe(true);
      await expect(guard.passed('deal-4999')).rejects.toThrow('the event log needs an operator');
      expect(guard.refuses('deal-5000')).toBe(false);
      await guard.passed('deal-5000');
    });

    it('refuses the whole log when there are too many findings to keep, and says so', () => {
      const noticed: Finding[] = [];
      const accepted = new Set<string>();
      const guard = new LogGuard({
        check: () => check(),
        accepted,
        notice: (finding) => void noticed.push(finding),
        time: thisMachine.time,
      });
      for (let n = 0; n < 20_000; n += 1) guard.refuse(stranger('deal-1', n));
      expect([guard.refused, guard.refuses('deal-2'), guard.findings.length, noticed.length]).toEqual([
        true,
        true,
        101,
        10_001,
      ]);
      expect(guard.findings.at(-1)?.words).toMatch(/more than 10000 findings/);
    });

    it('shows the first finding of each kind about the whole log, whatever came before', () => {
      const guard = guardOf();
      for (let n = 0; n < 20_000; n += 1) guard.refuse(findingOf('mark', 'behind', [n]));
      guard.refuse(findingOf('identity', 'another', [1]));
      expect(guard.findings.at(-1)).toMatchObject({ kind: 'identity' });
      expect(guard.findings.filter(({ kind }) => kind === 'mark')).toHaveLength(100);
    });
  });
});
