import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { EmbeddedLog, EmbeddedViewReaders, EmbeddedViewStore } from '#adapters/embedded';
import { thisMachine } from '#adapters/machine';
import {
  CommandLoop,
  Projector,
  SystemClock,
  Unavailable,
  everything,
  type EventLogReader,
  type OrderOutcome,
  type ProjectionOrder,
  type ProjectorReport,
  type ViewStore,
} from '#eventsourcing';
import { defineView, type View } from '#kernel';
import { openGuard } from '../../../test/support/open-guard.js';
import { contextAt, tally, tallyCodec, tallyView, type TallyEvent } from '../../../test/support/tally.js';
import { tempFolder } from '../../../test/support/temp-folder.js';

/** Keeps the last added key; throws at keys that are poison. */
const poison = new Set<string>();
const touchy = defineView<{ readonly last: string; readonly seen: number }, TallyEvent>({
  name: 'touchy',
  version: 1,
  key: () => 'all',
  on: {
    'added.v1': (row, { data }) => {
      if (poison.has(data.key)) throw new Error('not this one');
      return { last: data.key, seen: (row?.seen ?? 0) + 1 };
    },
  },
});

/** A log whose subscriptions from its beginning give one event at a time, as many as `letThrough` allows. */
class HeldLog implements EventLogReader {
  readonly countsBytes = false;
  #free = Infinity;
  readonly #waiting: (() => void)[] = [];

  constructor(private readonly log: EventLogReader) {}

  get identity(): string {
    return this.log.identity;
  }
  letThrough(events: number): void {
    this.#free = events;
    for (const wake of this.#waiting.splice(0)) wake();
  }
  readStream = (...of: Parameters<EventLogReader['readStream']>): ReturnType<EventLogReader['readStream']> =>
    this.log.readStream(...of);
  head = (): ReturnType<EventLogReader['head']> => this.log.head();
  eventAt = (position: bigint): ReturnType<EventLogReader['eventAt']> => this.log.eventAt(position);
  close = (): Promise<void> => this.log.close();

  async *subscribe(after: bigint, max: number, signal: AbortSignal): ReturnType<EventLogReader['subscribe']> {
    if (after > 0n || this.#free === Infinity) {
      yield* this.log.subscribe(after, max, signal);
      return;
    }
    for await (const batch of this.log.subscribe(after, 1, signal)) {
      while (this.#free === 0 && !signal.aborted) {
        await new Promise<void>((resolve) => {
          this.#waiting.push(resolve);
          signal.addEventListener('abort', () => resolve(), { once: true });
        });
      }
      if (signal.aborted) return;
      this.#free -= 1;
      yield batch;
    }
  }
}

describe('G6: operators’ orders to projections', () => {
  let folder: ReturnType<typeof tempFolder>;
  let log: EmbeddedLog;
  let held: HeldLog;
  let loop: CommandLoop;
  let readers: EmbeddedViewReaders;
  let projector: Projector;
  let reports: ProjectorReport[];
  let notices: string[];

  const start = async (views: readonly View[] = [tallyView, touchy], store?: ViewStore): Promise<void> => {
    reports = [];
    projector = new Projector({
      log: held,
      store: store ?? EmbeddedViewStore.open(join(folder.path, 'views')),
      codec: tallyCodec,
      views,
      report: (report) => {
        reports.push(report);
        readers.refresh();
      },
      notice: (text) => notices.push(text),
      time: thisMachine.time,
    });
    await projector.start();
  };
  const restart = async (store?: ViewStore): Promise<void> => {
    await projector.close();
    await start(undefined, store);
  };
  const add = (key: string, id = 'a'): Promise<unknown> => loop.execute(tally, id, { key }, contextAt());
  const addMany = async (from: number, to: number): Promise<void> => {
    for (let n = from; n < to; n += 1) await add(`k${n}`, `t${n % 5}`);
  };
  const status = (view: string): ProjectorReport['views'][number] | undefined =>
    reports.at(-1)?.views.find((each) => each.view === view);
  const generation = (
    view: string,
    number: number,
  ): ProjectorReport['views'][number]['generations'][number] | undefined =>
    status(view)?.generations.find((each) => each.number === number);
  const states = (view: string): Record<number, string> =>
    Object.fromEntries((status(view)?.generations ?? []).map(({ number, state }) => [number, state]));
  const until = async (holds: () => boolean): Promise<void> => {
    const end = Date.now() + 240_000;
    while (!holds()) {
      if (Date.now() > end)
        throw new Error(`it never came so: ${JSON.stringify([states('tallies'), states('touchy')])}`);
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
  };
  const become = (view: string, number: number, state: string): Promise<void> =>
    until(() => generation(view, number)?.state === state);
  const followed = async (view: string): Promise<void> => {
    const head = await log.head();
    await until(() => status(view)?.state === 'live' && (status(view)?.position ?? -1n) >= head);
  };
  const order = (verb: ProjectionOrder['verb'], view: string, number = 0): Promise<OrderOutcome> =>
    projector.order({ verb, view, generation: number, position: status(view)?.stoppedAt?.position ?? '0' });
  const done = (number: number): OrderOutcome => ({ kind: 'done', generation: number });
  const refused = (reason: string): OrderOutcome => ({ kind: 'refused', reason });
  const dump = async (view: View): Promise<string> =>
    JSON.stringify(
      await readers.reader(view).find({ where: everything, sort: [], page: 1, perPage: 1_000 }),
      (_, each: unknown) => (typeof each === 'bigint' ? each.toString() : each),
    );

  beforeEach(async () => {
    poison.clear();
    notices = [];
    folder = tempFolder();
    log = await EmbeddedLog.open({ file: join(folder.path, 'events.db') });
    held = new HeldLog(log);
    loop = new CommandLoop({
      log,
      codec: tallyCodec,
      clock: new SystemClock(Date.now),
      followers: [],
      machine: thisMachine,
      guard: openGuard(),
    });
    readers = EmbeddedViewReaders.open(join(folder.path, 'views'));
  });
  afterEach(async () => {
    await projector.close().catch(() => undefined);
    await readers.close();
    await loop.close();
    await log.close();
    folder.remove();
  });

  it('a rebuild is beside the live generation, becomes live when it is promoted, and can be undone', async () => {
    await addMany(0, 20);
    await start();
    await followed('tallies');
    held.letThrough(5);
    expect(await order('rebuild', 'tallies')).toEqual(done(2));
    await until(() => generation('tallies', 2)?.position === 5n);
    expect(generation('tallies', 2)).toMatchObject({ state: 'building', progress: 0.25, error: null });
    // The live generation continues meanwhile, and readers use it.
    await add('more');
    await followed('tallies');
    expect(status('tallies')).toMatchObject({ generation: 1, state: 'live', lagEvents: 0, lagSeconds: 0 });
    const live = await dump(tallyView);
    held.letThrough(Infinity);
    await become('tallies', 2, 'ready');
    expect(states('tallies')).toEqual({ 1: 'live', 2: 'ready' });
    expect(reports.filter(({ changed }) => changed.includes('tallies')).at(-1)?.views[0]?.generation).toBe(1);
    expect(await order('promote', 'tallies', 2)).toEqual(done(2));
    expect(reports.at(-1)).toMatchObject({ changed: ['tallies'] });
    expect(status('tallies')).toMatchObject({ generation: 2, state: 'live' });
    expect(await dump(tallyView)).toBe(live);
    // Both are fed, so that going back loses nothing.
    await add('later');
    await followed('tallies');
    const later = await dump(tallyView);
    expect(later).not.toBe(live);
    expect(states('tallies')).toEqual({ 1: 'ready', 2: 'live' });
    expect(await order('promote', 'tallies', 1)).toEqual(done(1));
    expect(await order('promote', 'tallies', 1)).toEqual(done(1));
    expect(await dump(tallyView)).toBe(later);
    expect(await order('drop', 'tallies', 2)).toEqual(done(2));
    expect(states('tallies')).toEqual({ 1: 'live' });
    expect(await order('drop', 'tallies', 1)).toEqual(
      refused('generation 1 of tallies is the live one: promote another one first'),
    );
    expect(await order('rebuild', 'tallies')).toEqual(done(3));
  });

  it('a generation that is not ready cannot be promoted, dropped or begun again', async () => {
    await addMany(0, 10);
    await start();
    await followed('tallies');
    held.letThrough(3);
    await order('rebuild', 'tallies');
    expect(await order('rebuild', 'tallies')).toEqual(refused('generation 2 of tallies is being built already'));
    expect(await order('promote', 'tallies', 2)).toEqual(refused('generation 2 of tallies is still being built'));
    expect(await order('drop', 'tallies', 2)).toEqual(refused('generation 2 of tallies is being built: cancel it'));
    expect(await order('resume', 'tallies')).toEqual(refused('tallies has not stopped'));
    expect(await order('skip', 'tallies')).toEqual(refused('tallies has not stopped'));
    for (const verb of ['rebuild', 'promote', 'cancel', 'drop', 'resume', 'skip'] as const) {
      expect(await order(verb, 'no view', 1)).toEqual({ kind: 'unknown' });
    }
    for (const verb of ['promote', 'cancel', 'drop'] as const) {
      expect(await order(verb, 'tallies', 9)).toEqual({ kind: 'unknown' });
    }
  });

  it('a cancelled rebuild changes nothing, and its number is not used again', async () => {
    await addMany(0, 10);
    await start();
    await followed('tallies');
    const live = await dump(tallyView);
    held.letThrough(4);
    await order('rebuild', 'tallies');
    await until(() => generation('tallies', 2)?.position === 4n);
    const twice = await Promise.all([order('cancel', 'tallies', 2), order('cancel', 'tallies', 2)]);
    expect(twice).toEqual([done(2), { kind: 'unknown' }]);
    expect(states('tallies')).toEqual({ 1: 'live' });
    expect(await dump(tallyView)).toBe(live);
    await add('more');
    await followed('tallies');
    held.letThrough(Infinity);
    expect(await order('rebuild', 'tallies')).toEqual(done(3));
    await become('tallies', 3, 'ready');
    expect(await order('cancel', 'tallies', 1)).toEqual(refused('generation 1 of tallies is the live one'));
    // It may become ready while the order is under way.
    expect(await order('cancel', 'tallies', 3)).toEqual(done(3));
    await order('rebuild', 'tallies');
    await become('tallies', 4, 'ready');
    await order('promote', 'tallies', 4);
    const older = refused('generation 1 of tallies is not a rebuild but an older generation: drop it');
    expect(await order('cancel', 'tallies', 1)).toEqual(older);
  });

  it('the build that a view waits for cannot be cancelled', async () => {
    await addMany(0, 10);
    held.letThrough(3);
    await start();
    await until(() => status('tallies')?.position === 3n);
    expect(status('tallies')).toMatchObject({ generation: null, state: 'building' });
    const reason = refused('no generation of tallies is live: it needs generation 1');
    expect(await order('cancel', 'tallies', 1)).toEqual(reason);
    expect(await order('drop', 'tallies', 1)).toEqual(reason);
    held.letThrough(Infinity);
    await followed('tallies');
  });

  it('several builds run at once, and none delays the live generations', async () => {
    await addMany(0, 30);
    await start();
    await followed('touchy');
    held.letThrough(10);
    await Promise.all([order('rebuild', 'tallies'), order('rebuild', 'touchy')]);
    await addMany(30, 40);
    await followed('tallies');
    await followed('touchy');
    held.letThrough(Infinity);
    await Promise.all([become('tallies', 2, 'ready'), become('touchy', 2, 'ready')]);
    await Promise.all([order('promote', 'tallies', 2), order('promote', 'touchy', 2)]);
    expect((await readers.reader(touchy).get('all'))?.row).toEqual({ last: 'k39', seen: 40 });
  });

  it('a promoted generation is live after a restart, and the others are fed until they are dropped', async () => {
    await addMany(0, 10);
    await start();
    await followed('tallies');
    await order('rebuild', 'tallies');
    await become('tallies', 2, 'ready');
    await order('promote', 'tallies', 2);
    await restart();
    await add('more');
    await followed('tallies');
    await until(() => states('tallies')[1] === 'ready');
    expect(states('tallies')).toEqual({ 1: 'ready', 2: 'live' });
    const rows = await dump(tallyView);
    expect(rows).toContain('more');
    await order('promote', 'tallies', 1);
    expect(await dump(tallyView)).toBe(rows);
  });

  it('a rebuild that breaks off with its process is dropped if it cannot continue', async () => {
    await addMany(0, 10);
    await start();
    await followed('tallies');
    held.letThrough(4);
    await order('rebuild', 'tallies');
    await until(() => generation('tallies', 2)?.position === 4n);
    held.letThrough(Infinity);
    await restart();
    await followed('tallies');
    expect(states('tallies')).toEqual({ 1: 'live' });
    expect(await order('rebuild', 'tallies')).toEqual(done(3));
  });

  it('a rebuild continues from its checkpoint on a store that can do that', async () => {
    const real = EmbeddedViewStore.open(join(folder.path, 'views'));
    // Only a builder that is not closed can continue; it stands for a store that keeps what was built.
    const lasting: ViewStore = {
      begin: async (view, identity) => {
        const { number, writer } = await real.begin(view, identity);
        writer.close = () => Promise.resolve();
        return { number, writer };
      },
      generations: (view, identity) => real.generations(view, identity),
      open: (view, number) => real.open(view, number),
      promote: (view, number) => real.promote(view, number),
      drop: (view, number) => real.drop(view, number),
      close: () => Promise.resolve(),
    };
    await addMany(0, 10);
    await start(undefined, lasting);
    await followed('tallies');
    held.letThrough(4);
    await order('rebuild', 'tallies');
    await until(() => generation('tallies', 2)?.position === 4n);
    // From its beginning nothing more would come through.
    held.letThrough(0);
    await restart(lasting);
    await become('tallies', 2, 'ready');
    const live = await dump(tallyView);
    await order('promote', 'tallies', 2);
    expect(await dump(tallyView)).toBe(live);
    await projector.close();
    await real.close();
  });

  describe('a view that stopped', () => {
    const stopAt = async (key: string): Promise<void> => {
      poison.add(key);
      await addMany(0, 5);
      await add(key);
      await addMany(5, 10);
      await until(() => status('touchy')?.state === 'stopped');
      await followed('tallies');
    };

    it('tries its event again on `resume`, and continues if it can', async () => {
      await start();
      await stopAt('bad');
      expect(notices).toEqual([
        'generation 1 of touchy has stopped: touchy cannot take tally-a@0: Error: not this one',
      ]);
      expect(status('touchy')).toMatchObject({ state: 'stopped', generation: 1, position: 5n, lagEvents: 6 });
      expect(await order('resume', 'touchy')).toEqual(done(1));
      await until(() => notices.length === 2);
      expect(status('touchy')).toMatchObject({ state: 'stopped', error: 'touchy cannot take tally-a@0' });
      poison.clear();
      expect(await order('resume', 'touchy')).toEqual(done(1));
      await followed('touchy');
      expect((await readers.reader(touchy).get('all'))?.row).toEqual({ last: 'k9', seen: 11 });
    });

    it('skips its event on `skip`, and remembers that', async () => {
      await start();
      await stopAt('bad');
      expect(status('touchy')?.stoppedAt).toEqual({ position: '6', event: 'tally-a@0' });
      // Only the event that the operator has seen.
      expect(await projector.order({ verb: 'skip', view: 'touchy', position: '5' })).toEqual(
        refused('touchy has not stopped at the position 5, but at 6 (tally-a@0)'),
      );
      expect(await order('skip', 'touchy')).toEqual(done(1));
      await followed('touchy');
      expect((await readers.reader(touchy).get('all'))?.row).toEqual({ last: 'k9', seen: 10 });
      expect(notices.at(-1)).toMatch(/skips tally-a@0, as an operator asked/);
      await restart();
      await followed('touchy');
      expect((await readers.reader(touchy).get('all'))?.row).toEqual({ last: 'k9', seen: 10 });
    });

    it('remembers a skip even if no event follows', async () => {
      await start();
      await add('good');
      poison.add('bad');
      await add('bad');
      await until(() => status('touchy')?.state === 'stopped');
      await order('skip', 'touchy');
      await restart();
      await followed('touchy');
      expect((await readers.reader(touchy).get('all'))?.row).toEqual({ last: 'good', seen: 1 });
    });

    it('stops only the rebuild, which can be cancelled or continued', async () => {
      await addMany(0, 5);
      await start();
      await followed('touchy');
      poison.add('k2');
      await order('rebuild', 'touchy');
      await become('touchy', 2, 'stopped');
      await add('more');
      await followed('touchy');
      expect(await order('promote', 'touchy', 2)).toEqual(
        refused('generation 2 of touchy has stopped: touchy cannot take tally-t2@0'),
      );
      expect(await order('cancel', 'touchy', 2)).toEqual(done(2));
      await order('rebuild', 'touchy');
      await become('touchy', 3, 'stopped');
      expect(await projector.order({ verb: 'skip', view: 'touchy', position: '3' })).toEqual(done(3));
      await become('touchy', 3, 'ready');
      await order('promote', 'touchy', 3);
      expect((await readers.reader(touchy).get('all'))?.row).toEqual({ last: 'more', seen: 5 });
    });

    it('is not readable while its first build has stopped, and continues on `resume`', async () => {
      poison.add('k2');
      await addMany(0, 5);
      await start();
      await followed('tallies');
      expect(status('touchy')).toMatchObject({ state: 'stopped', generation: null, position: 2n });
      poison.clear();
      expect(await order('resume', 'touchy')).toEqual(done(1));
      await followed('touchy');
      expect((await readers.reader(touchy).get('all'))?.row).toEqual({ last: 'k4', seen: 5 });
    });
  });

  describe('a change of which generations there are, whose answer is lost', () => {
    /** A store that gives no answer to the changes that `loses` names; whether they are carried out says `arrives`. */
    const losing = (loses: 'promote' | 'drop', arrives: boolean): ViewStore => {
      const store = EmbeddedViewStore.open(join(folder.path, 'views'));
      const real = store[loses].bind(store);
      store[loses] = async (...given) => {
        if (arrives) await real(...given);
        throw new Unavailable('there was no answer');
      };
      return store;
    };
    /** Generation 1 is live, 2 is ready; the order gets no answer. */
    const lose = async (loses: 'promote' | 'drop', arrives: boolean): Promise<void> => {
      await addMany(0, 5);
      await start();
      await followed('tallies');
      await order('rebuild', 'tallies');
      await become('tallies', 2, 'ready');
      await restart(losing(loses, arrives));
      await followed('tallies');
      await become('tallies', 2, 'ready');
      await expect(order(loses, 'tallies', 2)).rejects.toThrow('there was no answer');
      // It knows no more which generations there are, so it must not answer from memory: the next one asks the store.
      await expect(order('promote', 'tallies', 1)).rejects.toThrow('the projector does not run');
      await expect(projector.running).rejects.toThrow('there was no answer');
      await restart();
      await followed('tallies');
    };

    it('a promotion that was carried out counts, and the way back is open', async () => {
      await lose('promote', true);
      expect(states('tallies')).toEqual({ 1: 'ready', 2: 'live' });
      expect(await order('drop', 'tallies', 2)).toEqual(
        refused('generation 2 of tallies is the live one: promote another one first'),
      );
      const rows = await dump(tallyView);
      expect(await order('promote', 'tallies', 1)).toEqual(done(1));
      expect(await order('drop', 'tallies', 2)).toEqual(done(2));
      expect(await dump(tallyView)).toBe(rows);
    });

    it('a promotion that was not carried out has changed nothing, and may be ordered again', async () => {
      await lose('promote', false);
      expect(states('tallies')).toEqual({ 1: 'live', 2: 'ready' });
      expect(await order('promote', 'tallies', 2)).toEqual(done(2));
    });

    it('a drop that was carried out counts', async () => {
      await lose('drop', true);
      expect(states('tallies')).toEqual({ 1: 'live' });
    });

    it('a generation whose drop was not carried out is still there, and may be dropped again', async () => {
      await lose('drop', false);
      expect(states('tallies')).toEqual({ 1: 'live', 2: 'ready' });
      expect(await order('drop', 'tallies', 2)).toEqual(done(2));
    });
  });

  it('carries out orders that come while it opens the views', async () => {
    await start();
    await followed('tallies');
    await projector.close();
    const starting = start();
    expect(await order('rebuild', 'tallies')).toEqual(done(2));
    await starting;
  });

  it('rejects orders when it does not run', async () => {
    await start();
    await projector.close();
    await expect(order('rebuild', 'tallies')).rejects.toThrow('the projector does not run');
  });
});
