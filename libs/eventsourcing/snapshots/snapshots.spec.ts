import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { thisMachine } from '#adapters/machine';
import {
  CommandLoop,
  type Finding,
  type Machine,
  type Snapshot,
  type SnapshotOptions,
  type Time,
  Unavailable,
} from '#eventsourcing';
import type { Decider } from '#kernel';
import { LogGuard } from '#ownership';
import { SnapshotsInMemory } from '../../../test/support/snapshots-in-memory.js';
import { ScriptedLog } from '../../../test/support/scripted-log.js';
import {
  type Add,
  added,
  contextAt,
  tally,
  tallyCodec,
  type TallyEvent,
  tallyFollowers,
  type TallyState,
} from '../../../test/support/tally.js';

const KEYS_IN_A_PART = 10;

/** The tally, with snapshots. */
const kept: Decider<Add, TallyState, TallyEvent> = {
  ...tally,
  snapshot: {
    *parts({ total, keys }) {
      yield total;
      for (let at = 0; at < keys.length; at += KEYS_IN_A_PART) yield keys.slice(at, at + KEYS_IN_A_PART);
    },
    from: ([total, ...keys]) => ({ total: total as number, keys: (keys as string[][]).flat() }),
  },
};

const EVERY = 64;
/** The fewest events after which a snapshot is due. */
const DUE = EVERY + 1;

describe('snapshots', () => {
  let log: ScriptedLog;
  let store: SnapshotsInMemory;
  let loops: CommandLoop[];
  const guards: LogGuard[] = [];
  const findings: Finding[] = [];
  /** The revisions from which the stream was read. */
  const reads: number[] = [];
  const failed = jest.fn<(error: unknown) => void>();
  const check = jest.fn<() => Promise<readonly Finding[]>>();

  beforeEach(() => {
    log = new ScriptedLog();
    log.onRead = (_, from) => void reads.push(from);
    store = new SnapshotsInMemory();
    loops = [];
    findings.length = 0;
    failed.mockReset();
    check.mockReset().mockResolvedValue([]);
  });
  afterEach(() => Promise.all(loops.map((loop) => loop.close())));

  /** A process with an empty memory. */
  const open = (
    options: Partial<SnapshotOptions> & { readonly digest?: string } = {},
    machine: Machine = thisMachine,
  ): CommandLoop => {
    const { digest = 'aa', ...more } = options;
    const guard = new LogGuard({
      check,
      accepted: new Set(),
      notice: (finding) => findings.push(finding),
      time: thisMachine.time,
    });
    guards.push(guard);
    const loop = new CommandLoop({
      log,
      codec: tallyCodec,
      clock: { now: () => 1_000 },
      followers: [tallyFollowers],
      guard,
      machine,
      limits: { patience: 60_000 },
      snapshots: { store, folds: [{ decider: kept, digest }], every: EVERY, failed, ...more },
    });
    loops.push(loop);
    reads.length = 0;
    return loop;
  };
  const add = (loop: CommandLoop, key: string, times = 1, id = 'a'): Promise<{ readonly state: TallyState }> =>
    loop.execute(kept, id, { key, times }, contextAt());
  const whole = { total: DUE, keys: Array.from({ length: DUE }, (_, index) => (index === 0 ? 'k' : `k.${index}`)) };
  const until = async (is: () => boolean): Promise<void> => {
    while (!is()) await new Promise((resolve) => setImmediate(resolve));
  };
  /** A stream with a snapshot at its end, and its process ended. */
  const prepare = async (): Promise<Snapshot> => {
    const loop = open();
    await add(loop, 'k', DUE);
    await until(() => store.all.length === 1);
    await loop.close();
    const [snapshot] = store.all;
    if (snapshot === undefined) throw new Error('there is no snapshot');
    return snapshot;
  };
  const put = (snapshot: Snapshot, change: Partial<Snapshot>): Promise<void> => store.put({ ...snapshot, ...change });

  it('is made when enough events have come, and a load reads only the events after it', async () => {
    const first = open();
    await add(first, 'k', DUE - 1);
    await first.read(kept, 'a');
    expect(store.all).toEqual([]);
    await add(first, 'l');
    await until(() => store.all.length === 1);
    expect(store.all[0]).toMatchObject({
      stream: 'tally-a',
      digest: 'aa',
      log: 'scripted',
      revision: DUE - 1,
      position: log.events.at(-1)?.position,
      event: log.events.at(-1)?.id,
      first: log.events[0]?.id,
    });
    const before = (await add(first, 'm')).state;
    const second = open();
    expect(await second.read(kept, 'a')).toEqual(before);
    expect(reads).toEqual([0, DUE - 1, DUE]);
    expect((await add(second, 'n')).state.total).toBe(DUE + 2);
  });

  it('is made after 4 000 events, unless somebody says otherwise', async () => {
    log.rival('tally-a', ...Array.from({ length: 4_001 }, (_, index) => added(`k${index}`, index + 1)));
    log.rival('tally-b', ...Array.from({ length: 4_000 }, (_, index) => added(`k${index}`, index + 1)));
    const counted = { ...kept, evolve: (_: TallyState, { data: { total } }: TallyEvent) => ({ total, keys: [] }) };
    const guard = new LogGuard({ check, accepted: new Set(), notice: () => undefined, time: thisMachine.time });
    const snapshots = { store, folds: [{ decider: counted, digest: 'aa' }] };
    const clock = { now: () => 1_000 };
    const parts = { log, codec: tallyCodec, clock, followers: [], machine: thisMachine };
    const loop = new CommandLoop({ ...parts, guard, snapshots, limits: { patience: 60_000 } });
    loops.push(loop);
    await loop.read(counted, 'b');
    await loop.read(counted, 'a');
    await until(() => store.all.length > 0);
    expect(store.all.map(({ stream }) => stream)).toEqual(['tally-a']);
  });

  it('is made of a stream that was loaded with a long tail', async () => {
    log.rival('tally-a', ...Array.from({ length: DUE }, (_, index) => added(`k${index}`, index + 1)));
    const loop = open();
    await loop.read(kept, 'a');
    await until(() => store.all.length === 1);
    expect(await open().read(kept, 'a')).toEqual(await loop.read(kept, 'a'));
    expect(reads).toEqual([0, DUE - 1, DUE]);
  });

  it('is made again when as many events have come', async () => {
    await prepare();
    const loop = open();
    await add(loop, 'l', DUE - 1);
    await loop.read(kept, 'a');
    expect(store.all[0]?.revision).toBe(DUE - 1);
    await add(loop, 'm');
    await until(() => store.all[0]?.revision === 2 * DUE - 1);
    await loop.close();
    expect(await open().read(kept, 'a')).toMatchObject({ total: 2 * DUE });
    expect(reads).toEqual([0, 2 * DUE - 1, 2 * DUE]);
  });

  it('is made again only after twenty times as long as the last one took', async () => {
    let ahead = 0;
    const time = Object.assign(Object.create(thisMachine.time) as Time, {
      monotonic: () => thisMachine.time.monotonic() + ahead,
    });
    const slow: typeof kept = {
      ...kept,
      snapshot: {
        *parts({ total }) {
          ahead += 1_000_000;
          yield total;
        },
        from: ([total]) => ({ total: total as number, keys: [] }),
      },
    };
    const loop = open({ folds: [{ decider: slow, digest: 'aa' }] }, { ...thisMachine, time });
    const more = (key: string, times: number): Promise<unknown> => loop.execute(slow, 'a', { key, times }, contextAt());
    await more('k', DUE);
    await until(() => store.all.length === 1);
    ahead += 19_000_000;
    await more('l', DUE);
    await more('m', 1);
    for (let turns = 0; turns < 20; turns += 1) await new Promise((resolve) => setImmediate(resolve));
    expect(store.all[0]?.revision).toBe(DUE - 1);
    ahead += 2_000_000;
    await more('n', 1);
    await until(() => store.all[0]?.revision === 2 * DUE + 1);
  });

  it('shows a state that was on disk, whatever is decided while it is made', async () => {
    const loop = open();
    await add(loop, 'k', DUE);
    const more = Array.from({ length: 30 }, (_, index) => add(loop, `more ${index}`));
    await until(() => store.all.length === 1);
    await Promise.all(more);
    const [snapshot] = store.all;
    const end = log.events.find(({ revision }) => revision === snapshot?.revision);
    expect(snapshot?.event).toBe(end?.id);
    expect(await open().read(kept, 'a')).toMatchObject({ total: DUE + 30 });
  });

  it('is made of no stream of another kind, nor without a digest', async () => {
    const [other, none] = [open(), open({ folds: [] })];
    await other.execute(tally, 'b', { key: 'k', times: DUE }, contextAt());
    await add(none, 'k', DUE);
    await other.close();
    await none.close();
    expect(store.all).toEqual([]);
  });

  it.each<[string, Partial<Snapshot>]>([
    ['is of another log', { log: 'another' }],
    ['has lost a part', { parts: [] }],
    ['names another state', { revision: 7 }],
    ['has another checksum', { checksum: '0'.repeat(64) }],
  ])('is not used, and is removed, if it %s', async (_, change) => {
    await put(await prepare(), change);
    expect(await open().read(kept, 'a')).toEqual(whole);
    await until(() => store.all.length === 0 || store.all[0]?.revision === DUE - 1);
    expect(findings).toEqual([]);
  });

  it.each<[string, number]>([
    ['first event', 0],
    ['event at its revision', DUE - 1],
  ])('is not used if it contradicts the %s', async (_, at) => {
    await prepare();
    log.events.forEach((event, index) => {
      if (index === at) log.events[index] = { ...event, id: 'another', data: { ...event.data, key: 'other' } };
    });
    const state = await open().read(kept, 'a');
    expect(state.keys[at]).toBe('other');
    expect(findings).toEqual([]);
  });

  it('is not used by another build, which makes its own', async () => {
    await prepare();
    const loop = open({ digest: 'bb' });
    expect(await loop.read(kept, 'a')).toEqual(whole);
    expect(reads[0]).toBe(0);
    await until(() => store.all.length === 2);
    expect(await open({ digest: 'bb' }).read(kept, 'a')).toEqual(whole);
    expect(reads).toEqual([0, DUE - 1, DUE]);
  });

  it('is a finding if it is ahead of the log, and the stream is refused', async () => {
    const { event } = await prepare();
    log.events.splice(10);
    await expect(open().read(kept, 'a')).rejects.toBeInstanceOf(Unavailable);
    expect(check).toHaveBeenCalled();
    expect(findings).toEqual([expect.objectContaining({ kind: 'view', stream: undefined })]);
    expect(findings[0]?.seen?.event).toBe(event);
    expect(findings[0]?.words).toContain('which the snapshot of tally-a has seen');
    expect(store.all).toHaveLength(1);
  });

  it('is a finding if it is ahead of the log which has nothing of its stream', async () => {
    await prepare();
    log.events.splice(0);
    await expect(add(open(), 'more')).rejects.toBeInstanceOf(Unavailable);
    expect(findings).toHaveLength(1);
    expect(log.events).toEqual([]);
  });

  it('is removed if it is ahead of the log and an operator has accepted that', async () => {
    const { position } = await prepare();
    log.events.splice(10);
    const isLossAccepted = jest.fn((_: Finding, seen: bigint) => seen === position);
    expect(await open({ isLossAccepted }).read(kept, 'a')).toMatchObject({ total: 10 });
    expect(store.all).toEqual([]);
    expect(findings).toEqual([]);
  });

  it('shows that a stream was cut at its end, although the log still has its event', async () => {
    await prepare();
    const eventAt = log.eventAt.bind(log);
    const [last] = log.events.splice(-1);
    log.eventAt = async (position) => (position === last?.position ? last : eventAt(position));
    await expect(open().read(kept, 'a')).rejects.toBeInstanceOf(Unavailable);
    expect(findings).toEqual([expect.objectContaining({ kind: 'gap', stream: 'tally-a' })]);
  });

  it('costs only time if the store fails or is silent', async () => {
    const snapshot = await prepare();
    store.get = () => Promise.reject(new Error('no store'));
    expect(await open().read(kept, 'a')).toEqual(whole);
    store.get = () => new Promise(() => undefined);
    expect(await open().read(kept, 'a')).toEqual(whole);
    store.get = () => Promise.resolve({ ...snapshot, checksum: 'torn' });
    store.delete = () => Promise.reject(new Error('no store'));
    expect(await open().read(kept, 'a')).toEqual(whole);
    expect(findings).toEqual([]);
  });

  it('is not used, and is removed, if no state has such parts: its operator hears of that', async () => {
    await prepare();
    const impossible = new RangeError('a number must be whole');
    const from = (): never => {
      throw impossible;
    };
    const broken = { ...kept, snapshot: { parts: () => [], from } };
    expect(await open({ folds: [{ decider: broken, digest: 'aa' }] }).read(broken, 'a')).toEqual(whole);
    expect(failed.mock.calls).toEqual([[impossible]]);
    await until(() => store.all.length === 0);
    expect(findings).toEqual([]);
  });

  it('is given up for a while if the store cannot write, and no caller notices', async () => {
    store.put = () => Promise.reject(new Error('the disk is full'));
    const loop = open();
    await add(loop, 'k', DUE);
    await until(() => failed.mock.calls.length === 1);
    expect((await add(loop, 'l')).state.total).toBe(DUE + 1);
    await loop.close();
    expect(failed.mock.calls).toEqual([[new Error('the disk is full')]]);
  });

  it('is made at a stop, if some events have come since the last one', async () => {
    const loop = open();
    await add(loop, 'k', 5, 'long');
    await add(loop, 'k', 4, 'short');
    await loop.close();
    expect(store.all).toEqual([expect.objectContaining({ stream: 'tally-long', revision: 4 })]);
    expect(await open().read(kept, 'long')).toMatchObject({ total: 5 });
    expect(reads).toEqual([0, 4, 5]);
  });

  it('delays no stop for long', async () => {
    const loop = open();
    await add(loop, 'k', 30);
    store.put = () => new Promise(() => undefined);
    await loop.close();
  });

  it('is not made while the log is in doubt', async () => {
    const loop = open();
    await add(loop, 'k', 30);
    guards.at(-1)?.refuse({ kind: 'mark', code: 'c0de', stream: undefined, words: 'it is not ours' });
    await loop.close();
    expect(store.all).toEqual([]);
  });

  it('is made anew in the background after an upgrade, and those of other builds are removed', async () => {
    await prepare();
    const loop = open({ digest: 'bb' });
    await loop.renewSnapshots();
    await until(() => store.all.some(({ digest }) => digest === 'bb'));
    expect(store.all.map(({ digest }) => digest)).toEqual(['bb']);
    expect(await open({ digest: 'bb' }).read(kept, 'a')).toEqual(whole);
    expect(reads).toEqual([0, DUE - 1, DUE]);
  });
});
