import { EventEmitter } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { thisMachine } from '#adapters/machine';
import { eq, everything, Unavailable, type WaitingCaller, withCallDeadline } from '#eventsourcing';
import { defineView, value, type View } from '#kernel';
import { LISTS_ASIDE, PATIENCE } from '#kernel/bounds';
import { VirtualTime } from '../../../../test/support/virtual-time.js';
import type { ListAnswer, ListRequest, ListThreadData } from './list-messages.js';
import { ListThread, type ListRead } from './list-thread.js';
import { EmbeddedViewStore } from './embedded-view-store.js';

interface Row {
  readonly colour: string;
}

const view = defineView<Row, { readonly type: 'seen.v1'; readonly data: object }, 'colour'>({
  name: 'listed',
  version: 1,
  key: ({ stream }) => stream,
  on: { 'seen.v1': (row) => row },
  fields: { colour: value((row) => row.colour) },
}) as View;

const count: ListRead = { kind: 'count', where: everything, examine: 100 };
const ofColour = (colour: string): ListRead => ({ kind: 'count', where: eq('colour', colour), examine: 100 });
const settled = (): Promise<void> => thisMachine.time.turn();

const of = (name: string, hasLeft = false): { name: string; hasLeft: boolean } => ({ name, hasLeft });

/** A thread that answers when a test says so. */
class HeldThread extends EventEmitter {
  readonly requests: ListRequest[] = [];
  readonly unref = (): void => undefined;
  readonly terminate = async (): Promise<number> => 0;

  postMessage(request: ListRequest): void {
    this.requests.push(request);
  }

  answers(found: number, took = 0): void {
    this.emit('message', { found: { kind: 'count', count: found }, took } satisfies ListAnswer);
  }
}

function held(time = new VirtualTime()) {
  const threads: HeldThread[] = [];
  const answered = jest.fn();
  const start = (): HeldThread => {
    const thread = new HeldThread();
    threads.push(thread);
    return thread;
  };
  const lists = new ListThread('', time, { answered, damaged: () => undefined }, start as never);
  const read = (caller: WaitingCaller = of('acme'), what = count): Promise<unknown> =>
    withCallDeadline(time, () => lists.read(view, what), undefined, caller);
  /** The only thread. */
  const thread = (): HeldThread => {
    const [first] = threads;
    if (first === undefined || threads.length > 1) throw new Error(`${threads.length} threads`);
    return first;
  };
  return { lists, time, threads, thread, read, answered };
}

const refused = (words: string) => ({
  constructor: Unavailable,
  message: expect.stringContaining(words),
  retryAfter: expect.any(Number),
});

describe('I17: lists that no index answers', () => {
  it('start a thread with the first of them, and run one after another', async () => {
    const { threads, thread, read, answered, time } = held();
    expect(threads).toEqual([]);
    const [first, second] = [read(), read(of('acme'), ofColour('red'))];
    expect(thread().requests).toMatchObject([{ read: count }]);
    thread().answers(3);
    await expect(first).resolves.toBe(3);
    expect(answered).toHaveBeenCalledTimes(1);
    await time.pass(0);
    expect(thread().requests).toMatchObject([{ read: count }, { read: ofColour('red') }]);
    thread().answers(1);
    await expect(second).resolves.toBe(1);
  });

  it('rest after a long one, so that the writer finds a moment without readers', async () => {
    const { thread, read, time } = held();
    const both = [read(), read()];
    thread().answers(1, 30);
    await time.pass(29);
    expect(thread().requests).toHaveLength(1);
    await time.pass(1);
    expect(thread().requests).toHaveLength(2);
    thread().answers(1, 5_000);
    both.push(read());
    await time.pass(100);
    expect(thread().requests).toHaveLength(3);
    thread().answers(1);
    await Promise.all(both);
  });

  it('are refused with a time to wait if too many wait, of one caller or in all', async () => {
    const { read, lists } = held();
    const outcomes: string[] = [];
    const asked = (name: string): void => {
      read(of(name)).catch((error: unknown) => outcomes.push(`${name}: ${(error as Error).message}`));
    };
    asked('runs');
    for (let nth = 0; nth <= LISTS_ASIDE.ofOwner; nth += 1) asked('greedy');
    await settled();
    expect(outcomes).toEqual(['greedy: too many lists wait']);
    const others = LISTS_ASIDE.together - LISTS_ASIDE.ofOwner;
    for (let nth = 0; nth < others; nth += 1) asked(`other ${nth}`);
    await settled();
    expect(outcomes).toHaveLength(1);
    await expect(read(of('late'))).rejects.toMatchObject(refused('too many lists wait'));
    await lists.close();
  });

  it('let callers take turns', async () => {
    const { thread, read, time } = held();
    const order: string[] = [];
    const all = ['greedy', 'greedy', 'greedy', 'modest'].map((name) => read(of(name)).then(() => order.push(name)));
    for (let nth = 0; nth < all.length; nth += 1) {
      thread().answers(1);
      await settled();
      await time.pass(0);
    }
    await Promise.all(all);
    expect(order).toEqual(['greedy', 'greedy', 'modest', 'greedy']);
  });

  it('never run if their caller has left', async () => {
    const { thread, read, time } = held();
    const first = read();
    const caller = of('acme');
    const changing = read(caller, ofColour('changing'));
    const leaving = read(of('acme', true), ofColour('leaving'));
    const last = read(of('acme'), ofColour('last'));
    const refusals = Promise.allSettled([changing, leaving]);
    caller.hasLeft = true;
    for (let nth = 0; nth < 2; nth += 1) {
      thread().answers(1);
      await time.pass(0);
    }
    await expect(Promise.all([first, last])).resolves.toEqual([1, 1]);
    for (const outcome of await refusals)
      expect(outcome).toMatchObject({ status: 'rejected', reason: refused('left') });
    expect(thread().requests).toMatchObject([{ read: count }, { read: ofColour('last') }]);
  });

  it('are refused at the deadline of their call, whether they wait or run', async () => {
    const { thread, read, time } = held();
    const [running, waiting] = [read(), read()];
    const outcomes = Promise.allSettled([running, waiting]);
    await time.pass(PATIENCE.call - 1);
    const later = read(of('acme'), ofColour('later'));
    await time.pass(1);
    for (const outcome of await outcomes)
      expect(outcome).toMatchObject({ status: 'rejected', reason: refused('too long') });
    thread().answers(1);
    await time.pass(0);
    expect(thread().requests).toHaveLength(2);
    thread().answers(7);
    await expect(later).resolves.toBe(7);
  });

  it('are refused at a stop', async () => {
    const { read, lists } = held();
    const [running, waiting] = [read(), read()];
    const refusals = Promise.allSettled([running, waiting]);
    await lists.close();
    for (const outcome of await refusals)
      expect(outcome).toMatchObject({ status: 'rejected', reason: refused('the service stops') });
    await expect(lists.read(view, count)).rejects.toThrow('closed');
  });

  describe('after their thread breaks off', () => {
    let folder: string;
    let lists: ListThread | undefined;
    afterEach(async () => {
      await lists?.close();
      rmSync(folder, { recursive: true });
    });

    it.each([
      ['an error', `throw new Error('a fault')`, 'a fault'],
      ['an end', `process.exit(3)`, 'it has ended'],
    ])('by %s, go on in another one', async (_, does, words) => {
      folder = mkdtempSync(join(tmpdir(), 'holdfast-views-'));
      const store = EmbeddedViewStore.open(folder);
      const { number, writer } = await store.begin(view, 'log');
      await writer.write([{ key: 'k', row: { colour: 'red' }, position: 1n }], {
        log: 'log',
        position: 1n,
        event: 'e',
      });
      await writer.finish();
      await store.promote(view, number);
      await store.close();
      let started = 0;
      const start = (workerData: ListThreadData): Worker => {
        started += 1;
        if (started > 1) return new Worker(new URL('./lists.thread.js', import.meta.url), { workerData });
        const program = `require('node:worker_threads').parentPort.on('message', () => { ${does} })`;
        return new Worker(program, { eval: true });
      };
      const on = { answered: () => undefined, damaged: () => undefined };
      lists = new ListThread(folder, thisMachine.time, on, start);
      const [broken, next] = [lists.read(view, count), lists.read(view, ofColour('red'))];
      await expect(broken).rejects.toMatchObject(refused(words));
      await expect(next).resolves.toBe(1);
      expect(started).toBe(2);
    });
  });
});
