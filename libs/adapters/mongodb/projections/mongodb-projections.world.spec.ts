import { afterAll, afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { thisMachine } from '#adapters/machine';
import { type MongoDb, MongoDbProjections, MongoDbProjectorDesk } from '#adapters/mongodb';
import type { Machine, OrderOutcome, ProjectionOrder, ProjectorReport } from '#eventsourcing';
import { arrivingLate, arrivingTwice } from '../../../../test/support/mongodb/arrive-twice.js';
import { MongoDbDatabase } from '../../../../test/support/mongodb/mongodb-database.js';
import { startMongoDb } from '../../../../test/support/mongodb/mongodb-server.js';
import { timeWith } from '../../../../test/support/time-with.js';

const server = await startMongoDb();

const report = (head: bigint, ...changed: readonly string[]): ProjectorReport => ({
  head,
  changed,
  due: { 'hold-expiry': [{ key: 'a', dueAt: 1 }] },
  views: ['deals', 'users'].map((view) => ({
    view,
    version: 1,
    generation: 1,
    position: head,
    state: 'live',
    lagEvents: 0,
    lagSeconds: 0,
    error: null,
    generations: [],
  })),
});

/** A machine on which a follower that is not in a hurry rests for an hour between two looks. */
const restsLong: Machine = {
  ...thisMachine,
  time: timeWith({
    pause: (milliseconds, options) => thisMachine.time.pause(milliseconds < 200 ? milliseconds : 3_600_000, options),
  }),
};

(server === undefined ? describe.skip : describe)('projections on MongoDB', () => {
  let database: MongoDbDatabase;
  let ending: AbortController;
  let failures: unknown[];
  const desks: MongoDbProjectorDesk[] = [];
  const followers: Promise<void>[] = [];

  beforeEach(() => {
    database = new MongoDbDatabase(server ?? { url: '' });
    ending = new AbortController();
    failures = [];
  });
  afterEach(async () => {
    ending.abort();
    await Promise.all([...followers.splice(0), ...desks.splice(0).map((desk) => desk.close())]);
    await database.dispose();
    expect(failures).toEqual([]);
  });
  afterAll(() => server?.stop());

  const failed = (error: unknown): void => void failures.push(error);

  const openDeskOn = (mongo: MongoDb): MongoDbProjectorDesk => {
    const desk = new MongoDbProjectorDesk(mongo, failed);
    desks.push(desk);
    return desk;
  };
  const openDesk = async (): Promise<MongoDbProjectorDesk> => openDeskOn(await database.connect());

  const follow = async (machine?: Machine) => {
    const projections = new MongoDbProjections(await database.connect(machine), failed);
    const seen: ProjectorReport[] = [];
    followers.push(projections.follow((each) => void seen.push(each), ending.signal));
    return { projections, seen };
  };

  const orderStates = async (): Promise<unknown[]> =>
    (await database.documents('projection_orders')).map(({ state }) => state as unknown);

  const until = async (condition: () => boolean): Promise<void> => {
    while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5));
  };

  // Positions of a server's log do not fit a double.
  it('others see the last report, with positions to the last digit', async () => {
    const desk = await openDesk();
    const { projections, seen } = await follow();
    expect(projections.report()).toBeUndefined();
    const head = 2n ** 62n + 1n;
    desk.publish(report(head, 'deals'));
    await until(() => seen.length === 1);
    expect(projections.report()).toEqual({ ...report(head, 'deals', 'users'), due: {} });
  });

  // A reader caches a view until it learns of a change: with a missed change it stays stale for ever.
  it('no change is lost between two looks, and the last report always comes', async () => {
    const desk = await openDesk();
    const { seen } = await follow();
    desk.publish(report(1n));
    await until(() => seen.length === 1);
    for (let head = 2n; head <= 60n; head++) {
      desk.publish(report(head, ...(head === 7n ? ['users'] : head === 11n ? ['deals'] : [])));
      await new Promise((resolve) => setTimeout(resolve, 3));
    }
    await until(() => seen.at(-1)?.head === 60n);
    const changed = seen.slice(1).flatMap((each) => each.changed);
    expect(changed.toSorted()).toEqual(['deals', 'users']);
    desk.publish(report(61n));
    await until(() => seen.at(-1)?.head === 61n);
    expect(seen.at(-1)?.changed).toEqual([]);
  });

  // It lost its lease without knowing: what it says is old, and with its counts changes would seem undone.
  it('a replaced worker publishes nothing more, and after a change of workers every view counts as changed', async () => {
    const before = await openDesk();
    const { seen } = await follow();
    before.publish(report(5n, 'deals'));
    await until(() => seen.length === 1);
    const after = await openDesk();
    after.publish(report(6n));
    await until(() => seen.at(-1)?.head === 6n);
    expect(seen.at(-1)?.changed).toEqual(['deals', 'users']);
    before.publish(report(99n, 'users'));
    await before.close();
    // Longer than a follower waits between two looks.
    await new Promise((resolve) => setTimeout(resolve, 600));
    after.publish(report(7n));
    await until(() => seen.at(-1)?.head === 7n);
    expect(seen.map(({ head }) => head)).toEqual([5n, 6n, 7n]);
  });

  // With another epoch than the stored one, it would publish nothing more, and every start would wait for its report.
  it('a request that arrives twice changes nothing, and the next report comes', async () => {
    const { mongo, again } = arrivingTwice(await database.connect());
    const desk = openDeskOn(mongo);
    const { seen } = await follow();
    for (let head = 1n; head <= 2n; head++) {
      desk.publish(report(head, 'deals'));
      await until(() => seen.at(-1)?.head === head);
    }
    const stored = await database.documents('projections');
    await again();
    expect(await database.documents('projections')).toEqual(stored);
    desk.publish(report(3n));
    await until(() => seen.at(-1)?.head === 3n);
  });

  // It would overtake the worker that has the lease now, whose reports nobody would then see.
  it('a worker that has lost the lease does not begin to publish', async () => {
    const before = await openDesk();
    await before.serve(() => Promise.resolve({ kind: 'unknown' }), AbortSignal.abort());
    const after = await openDesk();
    const { seen } = await follow();
    after.publish(report(5n));
    await until(() => seen.at(-1)?.head === 5n);
    before.publish(report(99n));
    await before.close();
    after.publish(report(6n));
    await until(() => seen.at(-1)?.head === 6n);
    expect(seen.map(({ head }) => head)).toEqual([5n, 6n]);
  });

  // A read that waits for its own write should not wait for a quarter of a second.
  it('a reader in a hurry sees a report sooner', async () => {
    const desk = await openDesk();
    const { projections, seen } = await follow(restsLong);
    for (let head = 1n; head <= 10n; head++) {
      projections.hurry(() => true);
      desk.publish(report(head));
      await until(() => seen.at(-1)?.head === head);
    }
  });

  it('G6: the serving process carries an order out once, and its outcome comes back', async () => {
    const carriedOut: ProjectionOrder[] = [];
    const handler = async (order: ProjectionOrder): Promise<OrderOutcome> => {
      carriedOut.push(order);
      return order.verb === 'rebuild' ? { kind: 'done', generation: 3 } : { kind: 'refused', reason: 'it is live' };
    };
    for (const desk of [await openDesk(), await openDesk()]) followers.push(desk.serve(handler, ending.signal));
    const { projections } = await follow();
    expect(await projections.order({ verb: 'rebuild', view: 'deals' })).toEqual({ kind: 'done', generation: 3 });
    const drop: ProjectionOrder = { verb: 'drop', view: 'deals', generation: 2 };
    expect(await projections.order(drop)).toEqual({ kind: 'refused', reason: 'it is live' });
    expect(carriedOut).toEqual([{ verb: 'rebuild', view: 'deals' }, drop]);
    expect(await orderStates()).toEqual(['closed', 'closed']);
  });

  it('G6: an order goes when it is too old to be taken, with the next one', async () => {
    const desk = await openDesk();
    followers.push(desk.serve(() => Promise.resolve({ kind: 'unknown' }), ending.signal));
    const { projections } = await follow();
    await projections.order({ verb: 'rebuild', view: 'deals' });
    const orders = (await database.connect()).collection<{ _id: string }>('projection_orders');
    await orders.updateOne({}, { $set: { at: Date.now() - 60_001 } });
    await projections.order({ verb: 'rebuild', view: 'deals' });
    expect(await orderStates()).toEqual(['closed']);
  });

  // Nobody would answer it, and its operator would learn after ten seconds that no projector answers.
  it('G6: what took an order does not take the next one when it arrives again', async () => {
    const { mongo, again } = arrivingTwice(await database.connect(), ['findOneAndUpdate']);
    const stopped = new AbortController();
    const handler = async (): Promise<OrderOutcome> => {
      stopped.abort();
      return { kind: 'done', generation: 1 };
    };
    followers.push(openDeskOn(mongo).serve(handler, stopped.signal));
    const { projections } = await follow();
    await projections.order({ verb: 'rebuild', view: 'deals' });
    const next = projections.order({ verb: 'rebuild', view: 'users' });
    while (!(await orderStates()).includes('asked')) await new Promise((resolve) => setTimeout(resolve, 5));
    await again();
    const desk = await openDesk();
    followers.push(desk.serve(() => Promise.resolve({ kind: 'done', generation: 2 }), ending.signal));
    expect(await next).toEqual({ kind: 'done', generation: 2 });
  });

  // A view would be built a second time, or dropped although its operator got the answer that nothing happened.
  it.each([
    ['again, after it was answered', arrivingTwice, ['first', 'second']],
    ['when its operator got the answer that MongoDB does not answer', arrivingLate, ['second']],
  ])('G6: an order that arrives %s, is not carried out', async (_, keep, views) => {
    const { mongo, again } = keep(await database.connect(), ['insertOne']);
    const carriedOut: string[] = [];
    const handler = async ({ view }: ProjectionOrder): Promise<OrderOutcome> => {
      carriedOut.push(view);
      return { kind: 'done', generation: 1 };
    };
    followers.push((await openDesk()).serve(handler, ending.signal));
    const first = await new MongoDbProjections(mongo, failed)
      .order({ verb: 'rebuild', view: 'first' })
      .catch((error: unknown) => error);
    expect(first).toMatchObject(keep === arrivingTwice ? { kind: 'done' } : { name: 'Unavailable' });
    await again();
    // The oldest order is carried out first.
    const { projections } = await follow();
    await projections.order({ verb: 'rebuild', view: 'second' });
    expect(carriedOut).toEqual(views);
  });

  it('G6: an order that cannot be carried out fails immediately, with the reason', async () => {
    const desk = await openDesk();
    followers.push(desk.serve(() => Promise.reject(new Error('the projector does not run')), ending.signal));
    const { projections } = await follow();
    const began = performance.now();
    await expect(projections.order({ verb: 'rebuild', view: 'deals' })).rejects.toMatchObject({
      name: 'Unavailable',
      message: 'the projector does not run',
    });
    // It would be withdrawn after 10 s.
    expect(performance.now() - began).toBeLessThan(9_500);
  });

  // Another worker may have the lease already, while the projector of this one takes the writers of the views back.
  it('a process that has lost the lease stops serving, even if an order is under way', async () => {
    const desk = await openDesk();
    let taken = false;
    const lost = new AbortController();
    const serving = desk.serve(() => new Promise(() => (taken = true)), lost.signal);
    const { projections } = await follow();
    const asked = projections.order({ verb: 'rebuild', view: 'deals' }).catch((error: unknown) => error);
    await until(() => taken);
    lost.abort();
    await serving;
    expect(await asked).toMatchObject({ name: 'Unavailable' });
  });

  // The operator got the answer that nothing happened: a rebuild that begins an hour later would be a riddle.
  it('G6: an order that nobody takes is withdrawn after ten seconds', async () => {
    const { projections } = await follow();
    const began = performance.now();
    await expect(projections.order({ verb: 'rebuild', view: 'deals' })).rejects.toMatchObject({ name: 'Unavailable' });
    expect(performance.now() - began).toBeGreaterThan(9_900);
    expect(await orderStates()).toEqual(['closed']);
  });

  // Its sender has ended without withdrawing it.
  it('G6: an order left behind is not carried out later', async () => {
    const mongo = await database.connect();
    const left = { _id: 'left', order: { verb: 'rebuild', view: 'deals' }, state: 'asked', outcome: null };
    await mongo
      .collection<{ _id: string }>('projection_orders')
      .insertOne({ ...left, at: Date.now() - 30_001 } as never);
    const desk = await openDesk();
    let carriedOut = 0;
    followers.push(
      desk.serve(async () => {
        carriedOut++;
        return { kind: 'unknown' };
      }, ending.signal),
    );
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(carriedOut).toBe(0);
  });
});

/** A follower on a server that has nothing new, and how long it pauses. */
function followerOfNothing() {
  const pauses: number[] = [];
  const paused: (() => void)[] = [];
  const time = {
    monotonic: () => 0,
    pause: (milliseconds: number, { signal }: { readonly signal: AbortSignal }) =>
      new Promise<void>((resolve) => {
        pauses.push(milliseconds);
        paused.push(resolve);
        signal.addEventListener('abort', () => resolve());
      }),
  };
  const mongo = {
    machine: { time },
    collection: () => ({ findOne: () => Promise.resolve(null) }),
    answer: <T>(call: Promise<T>) => call,
  };
  const projections = new MongoDbProjections(mongo as unknown as MongoDb, (error) => {
    throw error;
  });
  const looked = async (): Promise<number | undefined> => {
    await new Promise((resolve) => setImmediate(resolve));
    return pauses.at(-1);
  };
  return { projections, looked, goOn: () => paused.at(-1)?.() };
}

describe('a follower of projections', () => {
  it('looks at once when somebody begins to wait, and often only while they wait', async () => {
    const { projections, looked, goOn } = followerOfNothing();
    const ending = new AbortController();
    const following = projections.follow(() => undefined, ending.signal);
    expect(await looked()).toBe(250);
    let isAwaited = true;
    projections.hurry(() => isAwaited);
    expect(await looked()).toBe(10);
    goOn();
    expect(await looked()).toBe(10);
    isAwaited = false;
    goOn();
    expect(await looked()).toBe(250);
    ending.abort();
    await following;
  });
});
