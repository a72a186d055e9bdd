import { beforeAll, describe, expect, it } from '@jest/globals';
import { defineView, value, type View } from '#kernel';
import { views } from '#platform/model';
import { digestsOf, forgotten, nextDigests, readDigests, unstored, type Digests } from './digests.js';
import { digestOf, logsOf } from './golden-rows.js';

const couponsVersion = ({ views: { coupons } }: Digests): number => coupons?.version ?? 0;

// A view that is built is built anew for a new version alone: rows that change under the same one stay wrong where they are.
describe('the version of a view', () => {
  let stored: Digests;
  let present: Digests;

  beforeAll(async () => {
    stored = readDigests();
    present = await digestsOf(views, stored.inputs);
  });

  it('is raised with every change of its rows, fields and indexes', () => {
    expect(forgotten(stored, present)).toEqual([]);
  });

  it('has a digest of the rows that all golden events lead to', () => {
    expect(unstored(stored, present)).toEqual([]);
  });

  it('is asked for by name and place when it was forgotten, and no new digest is stored before', async () => {
    const coupons = { version: couponsVersion(present), digest: 'of other rows' };
    const other = { ...present, views: { ...present.views, coupons } };
    const words =
      'the rows of view coupons changed and its version did not: raise `version` in ' +
      'libs/purchasing/coupon/coupon.view.ts and run `npm run views:record` to store the new digest';
    expect(forgotten(other, present)).toEqual([words]);
    await expect(nextDigests(other)).rejects.toThrow(words);
  });

  it('is asked for of each view in the file that it is defined in', () => {
    const others = Object.entries(present.views).map(([name, { version }]) => [name, { version, digest: '' }] as const);
    const asked = forgotten({ ...present, views: Object.fromEntries(others) }, present);
    expect(asked).toHaveLength(views.length);
    for (const words of asked) expect(words).toMatch(/ in libs\/[\w/-]+\.?(?:view|work)?\.ts and run /);
  });

  it('has a digest that a row, a key, a field and an index change', async () => {
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
    ].map((more) => digestOf(define(more), logs));
    expect(new Set(digests).size).toBe(digests.length);
  });
});
