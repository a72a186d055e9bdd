import { expect } from '@jest/globals';

/** Where an event stands, and which one it is. */
interface Standing {
  readonly stream: string;
  readonly revision: number;
  readonly position: number | bigint;
  readonly id: string;
}

/**
 * Does something that may add to a log, such as a start that accepts a finding. Everything in the log must keep its place, and no
 * stream may begin twice: nobody could read it.
 * @param events all events of the log now
 */
export async function keepingTheLog<T>(events: () => Promise<readonly Standing[]>, work: () => Promise<T>): Promise<T> {
  const before = await events();
  const done = await work();
  const after = await events();
  expect(after.slice(0, before.length).map(standing)).toEqual(before.map(standing));
  const places = after.map(({ stream, revision }) => `${stream}@${revision}`);
  expect(places.filter((place, index) => places.indexOf(place) !== index)).toEqual([]);
  return done;
}

const standing = ({ stream, revision, position, id }: Standing): string =>
  `${position}: ${stream}@${revision} is ${id}`;
