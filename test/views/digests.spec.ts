import { beforeAll, describe, expect, it } from '@jest/globals';
import { defineView, places, value, type View } from '#kernel';
import { views } from '#platform/model';
import {
  digestsOf,
  forgotten,
  nextDigests,
  readDigests,
  stillThere,
  unstored,
  type Digests,
  type ViewDigest,
} from './digests.js';
import { digestOf, logsOf } from './golden-rows.js';

const couponsOf = ({ views: { coupons } }: Digests): ViewDigest => {
  if (coupons === undefined) throw new Error('there is a view of coupons');
  return coupons;
};

// A built view is rebuilt only for a new version: rows that change under the same version stay wrong where they are stored.
describe('the version of a view', () => {
  let stored: Digests;
  let present: Digests;

  beforeAll(async () => {
    stored = readDigests();
    present = await digestsOf(views, stillThere(stored.inputs));
  });

  it('changes with every change of its rows, fields and indexes', () => {
    expect(forgotten(stored, present)).toEqual([]);
  });

  it('has a stored digest of the rows that all golden events lead to', () => {
    expect(unstored(stored, present)).toEqual([]);
  });

  it('that was not raised: an error names the view and its file, and nothing stores a new digest', async () => {
    const coupons = { ...couponsOf(present), digest: 'of other rows' };
    const other = { ...present, views: { ...present.views, coupons } };
    const words =
      'the rows of view coupons changed and its version did not: raise `version` in ' +
      'libs/purchasing/coupon/coupon.view.ts and run `npm run views:record` to store the new digest';
    expect(forgotten(other, present)).toEqual([words]);
    await expect(nextDigests(other)).rejects.toThrow(words);
  });

  it('may stay the same if an event has other data: then the rows of before say nothing', () => {
    const coupons = { ...couponsOf(present), events: 'of another sample', digest: 'of other rows' };
    const other = { ...present, views: { ...present.views, coupons } };
    expect(forgotten(other, present)).toEqual([]);
    expect(unstored(other, present)).toEqual([
      'view coupons has no digest of its present version and events: run `npm run views:record`',
    ]);
  });

  it('that was not raised: for every view the error names the file that defines it', () => {
    const others = Object.entries(present.views).map(([name, view]) => [name, { ...view, digest: '' }] as const);
    const refusals = forgotten({ ...present, views: Object.fromEntries(others) }, present);
    expect(refusals).toHaveLength(views.length);
    for (const words of refusals) expect(words).toMatch(/ in libs\/[\w/-]+\.?(?:view|work)?\.ts and run /);
  });

  it('has a digest that changes with a row, a key, a field and an index', async () => {
    const logs = await logsOf(['region-set.v1.json']);
    const base = { name: 'v', version: 1, key: () => 'k', fields: { a: value<{ a: number }>((row) => row.a) } };
    const on = { 'region-set.v1': () => ({ a: 1 }) };
    const define = (more: object): View => defineView({ ...base, on, ...more });
    const digests = [
      {},
      { key: () => 'l' },
      { on: { 'region-set.v1': () => ({ a: 2 }) } },
      { on: { 'region-set.v1': () => ({ a: 1, b: 1 }) } },
      { fields: { a: value(() => 3) } },
      { fields: { ...base.fields, b: value(() => 1) } },
      { indexes: [['a']] },
      { orders: [{ by: ['a'], covers: [] }] },
      { orders: [{ by: [{ descending: 'a' }], covers: [] }] },
      { fields: { ...base.fields, p: places(() => []) } },
      { fields: { ...base.fields, p: places(() => []) }, nearOrders: [{ near: 'p', by: 'a' }] },
    ].map((more) => digestOf(define(more), logs));
    expect(new Set(digests).size).toBe(digests.length);
  });
});
