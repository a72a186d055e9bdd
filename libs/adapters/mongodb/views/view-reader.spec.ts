import { expect, test } from '@jest/globals';
import { MongoServerError } from 'mongodb';
import { thisMachine } from '#adapters/machine';
import { everything, Unavailable } from '#eventsourcing';
import { samples } from '../../../../test/contracts/query-samples.js';
import type { MongoDb } from '../mongo-db.js';
import { layoutOf } from './row-document.js';
import { MongoDbViewReader } from './view-reader.js';

/** A reader whose server answers each query in this way. A real one would have to look through millions of rows first. */
function readerOf(failure: Error) {
  const limits: unknown[] = [];
  const fail = () => Promise.reject(failure);
  const cursor = {
    sort: () => cursor,
    skip: () => cursor,
    limit: () => cursor,
    toArray: fail,
    [Symbol.asyncIterator]: () => ({ next: fail }),
  };
  const standing = { live: 1, generations: { g1: { layout: layoutOf(samples), many: [], position: 1n } } };
  const collection = () => ({
    findOne: () => Promise.resolve(standing),
    find: (_: unknown, options: { maxTimeMS?: number }) => (limits.push(options.maxTimeMS), cursor),
    countDocuments: (_: unknown, options: { maxTimeMS?: number }) => (limits.push(options.maxTimeMS), fail()),
  });
  const mongo = { machine: thisMachine, collection } as unknown as MongoDb;
  return { limits, reader: new MongoDbViewReader(mongo, samples) };
}

const page = { where: everything, sort: [], page: 1, perPage: 10 };

test('a query with a limit that MongoDB takes too long for is too costly', async () => {
  const { limits, reader } = readerOf(new MongoServerError({ message: 'operation exceeded time limit', code: 50 }));
  const tooCostly = { code: 'list_too_costly' };
  await expect(reader.find({ ...page, examine: 100 })).rejects.toMatchObject(tooCostly);
  await expect(reader.versions({ ...page, examine: 100 })).rejects.toMatchObject(tooCostly);
  await expect(reader.count(everything, 100)).rejects.toMatchObject(tooCostly);
  expect(limits).toEqual([2_000, 2_000, 2_000]);
});

test('a query without a limit has no time from MongoDB, and other errors stay what they are', async () => {
  const { limits, reader } = readerOf(new MongoServerError({ message: 'shutting down', code: 91 }));
  await expect(reader.find(page)).rejects.toThrow(Unavailable);
  await expect(reader.count(everything)).rejects.toThrow(Unavailable);
  expect(limits).toEqual([undefined, undefined]);
});
