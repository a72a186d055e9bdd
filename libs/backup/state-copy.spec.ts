import { describe, expect, it } from '@jest/globals';
import { thisMachine } from '#adapters/machine';
import { KEYS_ENTRY } from '#eventsourcing';
import type { ChangedRows, RowKind, StateRows } from './engine-copies.js';
import { copyState, type StateNews } from './state-copy.js';
import type { StateLine } from './state-line.js';

const secret = (name: string, key = 0): StateLine => ({ kind: 'secret', name, sealed: 'AAAA', key });
const entry = (text: string): StateLine => ({ kind: 'entry', name: 'ledger', text });

/** Rows in two parts; what a spec says has changed comes in the order of the questions. */
class Rows implements StateRows {
  readonly asked: string[] = [];
  entry = 'first';
  changed: (readonly StateLine[] | undefined)[] = [];

  entries(): Promise<readonly StateLine[]> {
    this.asked.push('entries');
    return Promise.resolve([entry(this.entry)]);
  }

  rows(kind: RowKind, after: string | undefined) {
    this.asked.push(`${kind} ${after ?? ''}`.trim());
    if (kind !== 'secret') return Promise.resolve({ lines: [], next: undefined });
    return Promise.resolve(
      after === undefined ? { lines: [secret('a')], next: '1' } : { lines: [secret('b')], next: undefined },
    );
  }

  changes(since: string | undefined): Promise<ChangedRows> {
    if (since === undefined) return Promise.resolve({ lines: [], mark: '0', more: false });
    const lines = this.changed.length === 0 ? [] : this.changed.shift();
    return Promise.resolve({ lines, mark: '1', more: this.changed.length > 0 });
  }
}

async function copied(rows: Rows, follow: number, heads: () => bigint): Promise<readonly StateNews[]> {
  const stop = new AbortController();
  const news: StateNews[] = [];
  const head = (): Promise<bigint> => {
    rows.asked.push('head');
    return Promise.resolve(heads());
  };
  const options = {
    follow: follow > 0,
    signal: stop.signal,
    time: { ...thisMachine.time, pause: async () => undefined },
  };
  for await (const each of copyState(rows, head, options)) {
    news.push(each);
    if ('upto' in each && news.filter((one) => 'upto' in one).length > follow) stop.abort();
  }
  return news;
}

describe('G12.2: the copy of a state', () => {
  it('reads the entries, then the head of the log, and then every row, and last whether the keys are the same', async () => {
    const rows = new Rows();
    const news = await copied(rows, 0, () => 7n);
    expect(rows.asked).toEqual(['entries', 'head', 'key', 'secret', 'secret 1', 'answer', 'entries']);
    expect(news).toEqual([{ whole: true }, entry('first'), secret('a'), secret('b'), { upto: '7' }]);
  });

  it('has what changes while it is read, before it says how far it goes', async () => {
    const rows = new Rows();
    rows.changed = [[secret('a', 1)], [secret('c', 1)], [], [], [secret('d', 1)]];
    const news = await copied(rows, 0, () => 7n);
    expect(news.at(-1)).toEqual({ upto: '7' });
    expect(news).toEqual(expect.arrayContaining([secret('a', 1), secret('c', 1), secret('d', 1)]));
  });

  it('G14: begins again if a rotation goes on while it is read: no row is under a key that it lacks', async () => {
    const rows = new Rows();
    const keys = (text: string): StateLine => ({ kind: 'entry', name: KEYS_ENTRY, text });
    rows.entries = () => {
      rows.asked.push('entries');
      return Promise.resolve([keys(rows.asked.filter((each) => each === 'entries').length > 1 ? 'two' : 'one')]);
    };
    const news = await copied(rows, 0, () => 7n);
    expect(news.filter((each) => !('kind' in each) || each.kind === 'entry')).toEqual([
      { whole: true },
      keys('one'),
      { whole: true },
      keys('two'),
      { upto: '7' },
    ]);
  });

  it('that follows has only what changes', async () => {
    const rows = new Rows();
    let head = 7n;
    const news = await copied(rows, 2, () => {
      if (head === 8n) {
        rows.entry = 'second';
        rows.changed = [[secret('c')]];
      }
      return head++;
    });
    expect(news.slice(news.findIndex((each) => 'upto' in each) + 1)).toEqual([
      secret('c'),
      { upto: '8' },
      entry('second'),
      { upto: '9' },
    ]);
  });

  it('reads every row again if not all changes are known', async () => {
    const rows = new Rows();
    let head = 7n;
    const news = await copied(rows, 1, () => {
      if (head === 8n) rows.changed = [undefined];
      return head++;
    });
    expect(news.slice(news.findIndex((each) => 'upto' in each) + 1)).toEqual([
      { whole: true },
      entry('first'),
      secret('a'),
      secret('b'),
      { upto: '9' },
    ]);
  });

  it('that ends early never says how far it goes', async () => {
    const stop = new AbortController();
    const rows = new Rows();
    const news: StateNews[] = [];
    const options = { follow: false, signal: stop.signal, time: thisMachine.time };
    for await (const each of copyState(rows, () => Promise.resolve(7n), options)) {
      news.push(each);
      if ('kind' in each && each.kind === 'secret') stop.abort();
    }
    expect(news).toEqual([{ whole: true }, entry('first'), secret('a')]);
  });
});
