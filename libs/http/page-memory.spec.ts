import { beforeEach, describe, expect, it } from '@jest/globals';
import { ViewChanges } from '#eventsourcing';
import { nameOfList, PageMemory } from './page-memory.js';
import { SentNumber } from './sent-number.js';

const [DEALS, REGIONS] = [{ name: 'deals' }, { name: 'regions' }];

describe('the remembered pages of a list', () => {
  let changes: ViewChanges;
  let pages: PageMemory;
  let made: number;
  /** Milliseconds that have passed. */
  let passed: number;

  beforeEach(() => {
    passed = 0;
    changes = new ViewChanges();
    pages = new PageMemory({ monotonic: () => passed }, changes, [DEALS, REGIONS], 10_000);
    made = 0;
  });

  const page = async (now = 10, name = 'all', { from, until } = { from: 0, until: 20 }): Promise<string> => {
    const json = await pages.page(name, now, async () => {
      made += 1;
      return { json: Buffer.from(`${name} ${made}`), from, until };
    });
    return json.toString();
  };

  it('I1: are those of other lists if a number of the parameters differs, as a place does', () => {
    const near = (latitude: string): string =>
      nameOfList({ path: '/deals/locate', parameters: { latitude: new SentNumber(latitude) } });
    expect(near('42.5')).not.toBe(near('44.5'));
    expect(near('42.5')).toBe(near('42.5'));
  });

  it('are made once for each name', async () => {
    expect([await page(), await page(), await page(10, 'other'), await page()]).toEqual([
      'all 1',
      'all 1',
      'other 2',
      'all 1',
    ]);
  });

  it('keep their own bytes in memory, not the slab that Node cut them from', async () => {
    await page();
    const { buffer, length } = await pages.page('all', 10, () => Promise.reject(new Error('it is remembered')));
    expect(buffer.byteLength).toBe(length);
  });

  it.each([
    ['a row of a view that they show changes', () => changes.tell(['regions'])],
    ['another generation of a view is live', () => changes.live([{ view: 'deals', generation: 2 }])],
  ])('are made again when %s', async (_, change) => {
    await page();
    changes.tell(['purchases']);
    expect(await page()).toBe('all 1');
    change();
    expect(await page()).toBe('all 2');
  });

  it('are made again when the clock has passed the end of their time, and when it is before its beginning', async () => {
    await page();
    expect([await page(19), await page(20, 'all', { from: 20, until: 30 }), await page(29), await page(19)]).toEqual([
      'all 1',
      'all 2',
      'all 2',
      'all 3',
    ]);
  });

  it('are made again after a second, in case this process does not hear of a change', async () => {
    await page();
    passed = 1_000;
    expect(await page()).toBe('all 1');
    passed = 1_001;
    expect(await page()).toBe('all 2');
  });

  it('are not remembered if they are right at no time', async () => {
    await page(10, 'all', { from: 10, until: 10 });
    expect(await page()).toBe('all 2');
  });

  it('are not remembered if a view changed while they were made', async () => {
    await pages.page('all', 10, async () => {
      changes.tell(['deals']);
      return { json: Buffer.from('old'), from: 0, until: 20 };
    });
    expect(await page()).toBe('all 1');
  });

  it('are few: the least asked for are forgotten', async () => {
    for (let n = 0; n < 1_000; n += 1) await page(10, `page-${n}`);
    expect(await page(10, 'page-0')).toBe('page-0 1001');
    expect(await page(10, 'page-999')).toBe('page-999 1000');
  });
});

it('a list is named by its path and parameters, without credentials', () => {
  const name = (parameters: object): string => nameOfList({ path: '/deals', parameters: { ...parameters } });
  expect(name({ api_key: 'secret', access_token: 'secret', region: 'boston' })).toBe('/deals {"region":"boston"}');
  expect(name({ region: 'boston' })).not.toBe(name({ region: 'boston', page: 2 }));
});
