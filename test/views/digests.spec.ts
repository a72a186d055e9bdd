import { beforeAll, describe, expect, it } from '@jest/globals';
import { Codec } from '#eventsourcing';
import { defineView, places, value, type Recorded, type View } from '#kernel';
import { views } from '#platform/model';
import { BELL_SAMPLES, bellEvents } from '../golden/invented.events.js';
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

const SOMEBODY = { time: 1, command_id: 'c', correlation: 'r', causation: null, actor: 'a' };

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

  it('has to be raised if an upcaster changes the rows of events that logs have, and not otherwise', () => {
    const base = { name: 'bells', version: 1, key: () => 'k', fields: {} };
    const rung = { id: 'e', revision: 0, position: 1n, metadata: SOMEBODY, ...BELL_SAMPLES[0] };
    const before = [[new Codec([{ ...bellEvents, names: ['bell-rung.v1'], upcasters: [] }]).decode(rung)]];
    const after = [[new Codec([bellEvents]).decode(rung)]];
    const forgottenIf = (row: (data: object) => object): readonly string[] => {
      const on = (type: string): View =>
        defineView({ ...base, on: { [type]: (_: object | undefined, { data }: Recorded) => row(data) } });
      const digests = (view: View, logs: readonly (readonly Recorded[])[]): Digests => ({
        inputs: [],
        views: { bells: { version: view.version, digest: digestOf(view, logs) } },
      });
      return forgotten(digests(on('bell-rung.v1'), before), digests(on('bell-rung.v2'), after));
    };
    expect(forgottenIf((data) => data)).toEqual([expect.stringMatching(/^the rows of view bells changed and its/)]);
    expect(forgottenIf(() => ({ rung: true }))).toEqual([]);
  });

  it('that was raised has no digest yet', () => {
    const coupons = { ...couponsOf(present), version: 0 };
    const other = { ...present, views: { ...present.views, coupons } };
    expect(forgotten(other, present)).toEqual([]);
    expect(unstored(other, present)).toEqual([
      'view coupons has no digest of its present version: run `npm run views:record`',
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
