import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { EmbeddedLog, EmbeddedViewReaders, EmbeddedViewStore } from '#adapters/embedded';
import { thisMachine } from '#adapters/machine';
import {
  CommandLoop,
  Projector,
  SystemClock,
  everything,
  type EventLogReader,
  type Finding,
  type ProjectorReport,
  type ViewStore,
  type ViewWriter,
} from '#eventsourcing';
import { defineView, value, type View } from '#kernel';
import { openGuard } from '../../../test/support/open-guard.js';
import {
  contextAt,
  copy,
  tally,
  tallyCodec,
  tallyView,
  type CopyEvent,
  type TallyEvent,
} from '../../../test/support/tally.js';
import { tempFolder } from '../../../test/support/temp-folder.js';
import { timeWith } from '../../../test/support/time-with.js';

const copies: View<{ readonly keys: readonly string[] }> = defineView<{ readonly keys: readonly string[] }, CopyEvent>({
  name: 'copies',
  version: 1,
  key: (event) => event.stream,
  on: { 'copied.v1': (row, { data }) => ({ keys: [...(row?.keys ?? []), data.key] }) },
});
const due = defineView<{ readonly due_at: number }, TallyEvent>({
  name: 'due',
  version: 1,
  key: ({ data }) => data.key,
  on: { 'added.v1': (_, { data }) => (data.key === 'done' ? undefined : { due_at: 1_000 - data.total }) },
  fields: { due_at: value<{ readonly due_at: number }>((row) => row.due_at) },
});
const touchy = defineView<object, TallyEvent>({
  name: 'touchy',
  version: 1,
  key: () => 'all',
  on: {
    'added.v1': (_, { data }) => {
      if (data.key === 'poison') throw new Error('not this one');
      return { last: data.key };
    },
  },
});

describe('the projector on the embedded log and views', () => {
  let folder: ReturnType<typeof tempFolder>;
  let log: EmbeddedLog;
  let loop: CommandLoop;
  let readers: EmbeddedViewReaders;
  let projector: Projector;
  let reports: ProjectorReport[];

  const openLog = async (name = 'events.db'): Promise<void> => {
    log = await EmbeddedLog.open({ file: join(folder.path, name) });
    loop = new CommandLoop({
      log,
      codec: tallyCodec,
      clock: new SystemClock(Date.now),
      followers: [],
      machine: thisMachine,
      guard: openGuard(),
    });
  };
  const closeLog = async (): Promise<void> => {
    await loop.close();
    await log.close();
  };
  const start = async (
    views: readonly View[],
    store?: ViewStore,
    more: Partial<ConstructorParameters<typeof Projector>[0]> = {},
  ): Promise<void> => {
    reports = [];
    projector = new Projector({
      log,
      store: store ?? EmbeddedViewStore.open(join(folder.path, 'views')),
      codec: tallyCodec,
      views,
      report: (report) => {
        reports.push(report);
        readers.refresh();
      },
      time: thisMachine.time,
      ...more,
    });
    await projector.start();
  };
  const restart = async (views: readonly View[]): Promise<void> => {
    await projector.close();
    await start(views);
  };
  const add = (key: string, id = 'a'): Promise<unknown> => loop.execute(tally, id, { key }, contextAt());
  const status = (view: string): ProjectorReport['views'][number] | undefined =>
    reports.at(-1)?.views.find((each) => each.view === view);
  const until = async (holds: () => boolean): Promise<void> => {
    while (!holds()) await new Promise((resolve) => setTimeout(resolve, 5));
  };
  const caughtUp = async (view: string): Promise<void> => {
    const head = await log.head();
    await until(() => status(view)?.state === 'live' && (status(view)?.position ?? -1n) >= head);
  };
  const dump = async (view: View): Promise<string> =>
    JSON.stringify(
      await readers.reader(view).find({ where: everything, sort: [], page: 1, perPage: 1_000 }),
      (_, each: unknown) => (typeof each === 'bigint' ? each.toString() : each),
    );

  beforeEach(async () => {
    folder = tempFolder();
    await openLog();
    readers = EmbeddedViewReaders.open(join(folder.path, 'views'));
  });
  afterEach(async () => {
    await projector.close().catch(() => undefined);
    await readers.close();
    await closeLog();
    folder.remove();
  });

  describe('G7.10: does not promote what it builds from a log that lacks something', () => {
    const change = (sql: string): void => {
      const file = new DatabaseSync(join(folder.path, 'events.db'));
      file.exec(sql);
      file.close();
    };
    const build = async (
      sql: string,
      more: Partial<ConstructorParameters<typeof Projector>[0]> = {},
    ): Promise<readonly Finding[]> => {
      for (const key of ['one', 'two', 'three']) await add(key);
      await add('other', 'b');
      await closeLog();
      change(sql);
      await openLog();
      const found: Finding[] = [];
      await start([tallyView], undefined, { found: (finding) => found.push(finding), ...more });
      await until(() => status('tallies')?.generations[0]?.state !== 'building');
      return found;
    };
    const stoppedBy = (): string => status('tallies')?.generations[0]?.error ?? '';

    it('an event in the middle of a stream: the stream is refused, too', async () => {
      const found = await build('DELETE FROM events WHERE position = 2');
      expect(status('tallies')).toMatchObject({ state: 'stopped', generation: null });
      expect(stoppedBy()).toContain('tallies cannot take tally-a@2: tally-a has lost events: revision 1 was expected');
      expect(found).toMatchObject([{ kind: 'gap', stream: 'tally-a', from: 1, below: 2 }]);
    });

    it('a position: the stream of the last event of a stream is unknown, so none is refused', async () => {
      const found = await build('DELETE FROM events WHERE position = 3');
      expect(stoppedBy()).toMatch(
        /^tallies cannot take tally-b@0: The log has no event at position 3: .* ACCEPT=[0-9a-f]{12}/,
      );
      expect(found).toEqual([]);
    });

    it('the order of two events', async () => {
      const found = await build(
        'UPDATE events SET position = 9 WHERE position = 2; UPDATE events SET position = 2 WHERE position = 3; UPDATE events SET position = 3 WHERE position = 9',
      );
      expect(stoppedBy()).toContain('tally-a@2 stands at position 2, before tally-a@1 at 3: somebody changed the log.');
      expect(found).toMatchObject([{ kind: 'order', stream: 'tally-a' }]);
    });

    it('unless an operator has accepted that', async () => {
      const isMissingKnown = ({ kind }: Finding): boolean => kind === 'hole';
      await build('DELETE FROM events WHERE position = 3', { isMissingKnown });
      await caughtUp('tallies');
      expect((await readers.reader(tallyView).get('tally-a'))?.row).toEqual({ total: 2, keys: ['one', 'two'] });
    });
  });

  it('builds from the existing events, then follows; on an empty log it is ready immediately', async () => {
    await start([tallyView]);
    await caughtUp('tallies');
    expect(await dump(tallyView)).toBe('[]');
    await add('one');
    await caughtUp('tallies');
    expect((await readers.reader(tallyView).get('tally-a'))?.row).toEqual({ total: 1, keys: ['one'] });
    expect(reports.some(({ changed }) => changed.includes('tallies'))).toBe(true);
    expect(reports.at(-1)?.head).toBe(await log.head());
  });

  it('reports every view as changed at its start: a previous projector may have died before announcing rows', async () => {
    await start([tallyView, copies]);
    await caughtUp('tallies');
    await projector.close();
    await start([tallyView, copies]);
    expect(reports[0]?.changed).toEqual(['tallies', 'copies']);
  });

  it('G11: reports every few seconds that it lives, even if nothing happens', async () => {
    await start([tallyView]);
    await caughtUp('tallies');
    const reportsBefore = reports.length;
    const began = performance.now();
    await until(() => reports.length >= reportsBefore + 2);
    expect(performance.now() - began).toBeGreaterThan(3_500);
  });

  it('a rebuilt view equals the live one, row for row, with positions', async () => {
    await start([tallyView, copies]);
    for (let n = 0; n < 60; n += 1) {
      await add(`k${n}`, `t${n % 7}`);
      if (n % 3 === 0) await loop.execute(copy, `c${n % 5}`, { key: `k${n}` }, contextAt());
    }
    await caughtUp('tallies');
    const live = [await dump(tallyView), await dump(copies)];
    await projector.close();
    rmSync(join(folder.path, 'views'), { recursive: true });
    await readers.close();
    readers = EmbeddedViewReaders.open(join(folder.path, 'views'));
    await start([tallyView, copies]);
    await caughtUp('tallies');
    await caughtUp('copies');
    expect([await dump(tallyView), await dump(copies)]).toEqual(live);
  });

  it('a new view is built beside the live ones, which continue, and joins them', async () => {
    await start([tallyView]);
    await add('one');
    await caughtUp('tallies');
    await restart([tallyView, copies]);
    expect(status('copies')?.state ?? 'building').toBe('building');
    await loop.execute(copy, 'x', { key: 'k' }, contextAt());
    await add('two');
    await caughtUp('copies');
    await caughtUp('tallies');
    expect((await readers.reader(copies).get('copy-x'))?.row).toEqual({ keys: ['k'] });
    await add('three');
    await caughtUp('tallies');
    expect((await readers.reader(tallyView).get('tally-a'))?.row).toMatchObject({ total: 3 });
  });

  it('a view behind the others catches up, and the others take nothing twice', async () => {
    await start([tallyView]);
    await caughtUp('tallies');
    await add('one');
    await caughtUp('tallies');
    await restart([tallyView, copies]);
    await caughtUp('copies');
    await restart([copies]);
    await add('two');
    await loop.execute(copy, 'x', { key: 'k' }, contextAt());
    await caughtUp('copies');
    await restart([tallyView, copies]);
    await caughtUp('tallies');
    expect((await readers.reader(tallyView).get('tally-a'))?.row).toEqual({ total: 2, keys: ['one', 'two'] });
    expect((await readers.reader(copies).get('copy-x'))?.row).toEqual({ keys: ['k'] });
  });

  it('a poison event stops one view, with a reason, and never the others', async () => {
    await start([touchy, tallyView]);
    await add('one');
    await add('poison');
    await add('three');
    await caughtUp('tallies');
    expect(status('touchy')).toMatchObject({ state: 'stopped', error: 'touchy cannot take tally-a@1' });
    expect((await readers.reader(touchy).get('all'))?.row).toEqual({ last: 'one' });
    expect((await readers.reader(tallyView).get('tally-a'))?.row).toMatchObject({ total: 3 });
  });

  it('a poison event in a build stops only that build, and a restart tries it again', async () => {
    await add('one');
    await add('poison');
    await add('three');
    await start([touchy, tallyView]);
    await caughtUp('tallies');
    expect(status('touchy')?.state).toBe('stopped');
    const cured = { ...touchy, apply: () => ({ last: 'cured' }) };
    await restart([cured, tallyView]);
    await caughtUp('touchy');
    expect((await readers.reader(cured).get('all'))?.row).toEqual({ last: 'cured' });
  });

  it('reports the earliest due time of the rows that it wrote', async () => {
    await start([due]);
    await caughtUp('due');
    await loop.execute(tally, 'a', { key: 'k', times: 5 }, contextAt());
    await caughtUp('due');
    expect(reports.flatMap((report) => Object.entries(report.due))).toEqual([['due', [{ key: 'k.4', dueAt: 995 }]]]);
  });

  it('reports every row that it wrote, and every one that it removed, to timers that need each', async () => {
    const shared: View = { ...due, keys: () => ['row'] };
    await start([shared], undefined, { dueRows: 'all' });
    await caughtUp('due');
    await add('open');
    await caughtUp('due');
    await add('done');
    await caughtUp('due');
    expect(reports.flatMap((report) => Object.entries(report.due))).toEqual([
      ['due', [{ key: 'row', dueAt: 999 }]],
      ['due', [{ key: 'row', dueAt: Infinity }]],
    ]);
  });

  // A server costs several requests per view for a batch, however small.
  it('rests for as long as a slow store took for a batch, if several events came at once', async () => {
    const { time } = thisMachine;
    let [slowBy, passed] = [0, 0];
    const rests: number[] = [];
    const slow: View = {
      ...tallyView,
      apply: (row, event, key) => {
        passed += slowBy;
        return tallyView.apply(row as never, event, key);
      },
    };
    const clock = timeWith({
      monotonic: () => passed,
      pause: (milliseconds, options) => {
        rests.push(milliseconds);
        return time.pause(milliseconds, options);
      },
    });
    await start([slow], undefined, { time: clock });
    const tenEvents = async (key: string): Promise<void> => {
      await loop.execute(tally, 'a', { key, times: 10 }, contextAt());
      await caughtUp('tallies');
    };
    await tenEvents('one');
    slowBy = 2;
    await tenEvents('two');
    await until(() => rests.length > 0);
    slowBy = 20;
    await tenEvents('three');
    await until(() => rests.length > 1);
    expect(rests).toEqual([20, 50]);
    await add('alone');
    await caughtUp('tallies');
    expect(rests).toHaveLength(2);
  });

  describe('the pace', () => {
    /** The rests under way, by what ends each. */
    let rests: (() => void)[];
    const { time } = thisMachine;
    const clock = timeWith({
      after(milliseconds, work) {
        const timer = time.after(milliseconds === 5 ? 1_000_000 : milliseconds, work).unref();
        if (milliseconds === 5) rests.push(work);
        return timer;
      },
    });
    /** How often the view was committed since its start. */
    const commits = (): number => reports.slice(1).filter(({ changed }) => changed.includes('tallies')).length;
    /** Three events while the projector rests after the first one. */
    const three = async (): Promise<void> => {
      await start([tallyView], undefined, { time: clock });
      await caughtUp('tallies');
      const before = commits();
      await add('one');
      await until(() => commits() === before + 1 && rests.length === 1);
      await add('two');
      await add('three');
    };
    beforeEach(() => {
      rests = [];
    });

    it('writes the first event after a quiet moment at once, and those that follow together', async () => {
      await three();
      const before = commits();
      rests[0]?.();
      await caughtUp('tallies');
      expect(commits()).toBe(before + 1);
    });

    it('does not let a reader wait who waits for an event', async () => {
      await three();
      const before = commits();
      projector.hurry();
      await caughtUp('tallies');
      expect(commits()).toBe(before + 1);
    });

    it('is not that of builds', async () => {
      for (let n = 0; n < 300; n += 1) await add(`k${n}`, `t${n % 7}`);
      await start([tallyView], undefined, { time: clock });
      await caughtUp('tallies');
      await projector.order({ verb: 'rebuild', view: 'tallies' });
      await until(
        () => status('tallies')?.generations.some(({ number, state }) => number === 2 && state === 'ready') === true,
      );
      expect(rests).toEqual([]);
    });
  });

  it('gives orders, closing and looks at the end of the log their turn while it is behind', async () => {
    await start([tallyView]);
    await caughtUp('tallies');
    await projector.close();
    for (let n = 0; n < 20; n += 1) await add(`k${n}`);
    await start([tallyView], undefined, { log: inPieces(log) });
    await new Promise((resolve) => setImmediate(resolve));
    expect(status('tallies')?.position).toBeLessThan(await log.head());
    await caughtUp('tallies');
  });

  it('a view of another log is rebuilt', async () => {
    await start([tallyView]);
    await add('one');
    await caughtUp('tallies');
    await projector.close();
    await closeLog();
    await openLog('other.db');
    await add('other', 'b');
    await start([tallyView]);
    await caughtUp('tallies');
    expect(await readers.reader(tallyView).get('tally-a')).toBeUndefined();
    expect((await readers.reader(tallyView).get('tally-b'))?.row).toMatchObject({ keys: ['other'] });
  });

  it('a log that lacks what a view has seen is reported, and nothing is dropped before an operator accepts that', async () => {
    await start([tallyView]);
    await add('one');
    await caughtUp('tallies');
    await projector.close();
    const store = EmbeddedViewStore.open(join(folder.path, 'views'));
    const writer = await store.open(tallyView, 1);
    const lost = { key: 'tally-lost', row: { total: 9, keys: [] }, position: 2n };
    await writer.write([lost], { log: log.identity, position: 2n, event: 'an event that was lost' });
    await store.close();
    await add('two');
    const found: Finding[] = [];
    await start([tallyView], undefined, { found: (finding) => found.push(finding) });
    expect(found).toMatchObject([{ stream: undefined, kind: 'view' }]);
    expect(found[0]?.words).toContain('has another event at position 2, which the view tallies has seen');
    expect(reports).toEqual([]);
    await expect(projector.order({ verb: 'rebuild', view: 'tallies' })).rejects.toThrow('does not run');
    expect((await readers.reader(tallyView).get('tally-lost'))?.row).toEqual({ total: 9, keys: [] });
    await projector.close();

    const mayRebuild = ({ code }: Finding, seen: bigint): boolean => code === found[0]?.code && seen === 2n;
    await start([tallyView], undefined, { mayRebuild });
    await caughtUp('tallies');
    expect(await readers.reader(tallyView).get('tally-lost')).toBeUndefined();
    expect((await readers.reader(tallyView).get('tally-a'))?.row).toEqual({ total: 2, keys: ['one', 'two'] });
  });

  it('the projector waits for a log that is only behind, and the views stay', async () => {
    await start([tallyView]);
    await add('one');
    await caughtUp('tallies');
    await projector.close();
    const store = EmbeddedViewStore.open(join(folder.path, 'views'));
    const writer = await store.open(tallyView, 1);
    const [next] = await log.readStream('tally-a', 0, 1);
    await writer.write([], { log: log.identity, position: 2n, event: 'later' });
    await store.close();
    const found: Finding[] = [];
    const starting = start([tallyView], undefined, { found: (finding) => found.push(finding) });
    await new Promise((resolve) => setTimeout(resolve, 100));
    if (next === undefined) throw new Error('nothing was written');
    await log.append([{ stream: 'tally-b', expected: -1, events: [{ ...next, id: 'later' }] }]);
    await starting;
    await caughtUp('tallies');
    expect(found).toEqual([]);
    expect((await readers.reader(tallyView).get('tally-a'))?.row).toMatchObject({ keys: ['one'] });
  });

  it('an event of a type that only a newer build knows stops every view before it, by name', async () => {
    await start([tallyView]);
    await caughtUp('tallies');
    const { metadata } = (await loop.execute(tally, 'a', { key: 'one' }, contextAt())).events[0] ?? {};
    if (metadata === undefined) throw new Error('nothing was written');
    await log.append([{ stream: 'x-1', expected: -1, events: [{ id: 'i', type: 'newer.v9', data: {}, metadata }] }]);
    await add('two');
    await until(() => status('tallies')?.state === 'stopped');
    expect(status('tallies')?.error).toContain('tallies cannot take x-1@0: x-1@0 has the type newer.v9');
    expect((await readers.reader(tallyView).get('tally-a'))?.row).toEqual({ total: 1, keys: ['one'] });
    // An operator decides to skip the event.
    await projector.order({ verb: 'skip', view: 'tallies', position: status('tallies')?.stoppedAt?.position ?? '' });
    await caughtUp('tallies');
    expect((await readers.reader(tallyView).get('tally-a'))?.row).toEqual({ total: 2, keys: ['one', 'two'] });
  });

  it('a failed build ends the whole projector', async () => {
    await add('one');
    const real = EmbeddedViewStore.open(join(folder.path, 'views'));
    const failing: ViewStore = {
      begin: async (view, identity) => {
        const { number, writer } = await real.begin(view, identity);
        if (view.name === 'copies') writer.finish = () => Promise.reject(new Error('the disk is full'));
        return { number, writer };
      },
      generations: (view, identity) => real.generations(view, identity),
      open: (view, generation) => real.open(view, generation),
      promote: (view, generation) => real.promote(view, generation),
      drop: (view, generation) => real.drop(view, generation),
      close: () => real.close(),
    };
    await start([tallyView], real);
    await caughtUp('tallies');
    await projector.close();
    await start([tallyView, copies], failing);
    await expect(projector.running).rejects.toThrow('the disk is full');
    const reportsBefore = reports.length;
    await add('two');
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(reports).toHaveLength(reportsBefore);
  });

  describe('A8: one that starts again after a broken one', () => {
    const position = (view: string, of = reports.at(-1)): bigint | undefined =>
      of?.views.find((each) => each.view === view)?.position;
    /** A store whose writers refuse to write while `full` says so. */
    const fillable = (full: () => boolean): ViewStore => {
      const real = EmbeddedViewStore.open(join(folder.path, 'views'));
      const refusing = (writer: ViewWriter): ViewWriter => {
        const write = writer.write.bind(writer);
        writer.write = async (...given) => {
          if (full()) throw new Error('the disk is full');
          await write(...given);
        };
        return writer;
      };
      return {
        begin: async (view, identity) => {
          const { number, writer } = await real.begin(view, identity);
          return { number, writer: refusing(writer) };
        },
        generations: (view, identity) => real.generations(view, identity),
        open: async (view, generation) => refusing(await real.open(view, generation)),
        promote: (view, generation) => real.promote(view, generation),
        drop: (view, generation) => real.drop(view, generation),
        close: () => real.close(),
      };
    };
    /** A projector that breaks because it cannot write. No event touched `copies`. @returns what it reported last of `copies` */
    const breakOne = async (): Promise<bigint> => {
      let full = false;
      await start(
        [tallyView, copies],
        fillable(() => full),
      );
      await add('two');
      await caughtUp('copies');
      const reported = position('copies') ?? 0n;
      full = true;
      // It may read the event before the append is answered.
      const broken = expect(projector.running).rejects.toThrow('the disk is full');
      await add('three');
      await broken;
      return reported;
    };
    /** Starts one that cannot write. @returns the position of a view in its first report */
    const startsAt = async (view: string, seenBefore = projector.seen): Promise<bigint> => {
      await projector.close();
      await start(
        [tallyView, copies],
        fillable(() => true),
        { seenBefore },
      );
      const [first] = reports;
      await expect(projector.running).rejects.toThrow('the disk is full');
      return position(view, first) ?? -1n;
    };

    beforeEach(async () => {
      await add('one');
      await start([tallyView, copies]);
      await caughtUp('copies');
      await projector.close();
    });

    it('takes back nothing of what views had seen, however often, even if it cannot write', async () => {
      const reported = await breakOne();
      for (let time = 0; time < 3; time += 1) {
        expect(await startsAt('copies')).toBeGreaterThanOrEqual(reported);
        expect(await startsAt('tallies')).toBe(reported);
      }
    });

    it('goes on from there, and every view equals one that is built anew', async () => {
      await breakOne();
      await loop.execute(copy, 'b', { key: 'x' }, contextAt());
      const seenBefore = projector.seen;
      await projector.close();
      await start([tallyView, copies], undefined, { seenBefore });
      await caughtUp('copies');
      await caughtUp('tallies');
      const rows = [await dump(tallyView), await dump(copies)];
      await projector.close();
      rmSync(join(folder.path, 'views'), { recursive: true });
      await start([tallyView, copies]);
      await caughtUp('copies');
      await caughtUp('tallies');
      expect([await dump(tallyView), await dump(copies)]).toEqual(rows);
    });

    it('believes only the rows if they are an older copy', async () => {
      const views = join(folder.path, 'views');
      const older = join(folder.path, 'older');
      cpSync(views, older, { recursive: true });
      await start([tallyView, copies]);
      const then = position('tallies', reports[0]) ?? -1n;
      await add('more');
      await caughtUp('tallies');
      await projector.close();
      await breakOne();
      const seenBefore = projector.seen;
      await projector.close();
      rmSync(views, { recursive: true });
      cpSync(older, views, { recursive: true });
      expect(await startsAt('tallies', seenBefore)).toBe(then);
    });

    it('believes only the rows if the log has another event there', async () => {
      await breakOne();
      const seenBefore = projector.seen.map((each) => ({ ...each, last: { ...each.last, event: 'another' } }));
      expect(await startsAt('copies', seenBefore)).toBeLessThan((await log.head()) - 1n);
    });
  });
});

/** The same log for a reader who is behind: each event comes alone, and there is more, as far as the reader knows. */
function inPieces(log: EmbeddedLog): EventLogReader {
  return {
    identity: log.identity,
    countsBytes: log.countsBytes,
    head: () => log.head(),
    eventAt: (position) => log.eventAt(position),
    readStream: (stream, from, max) => log.readStream(stream, from, max),
    async *subscribe(after, max, signal) {
      for await (const { events } of log.subscribe(after, max, signal))
        for (const event of events) yield { events: [event], caughtUp: false };
    },
    close: () => log.close(),
  };
}
