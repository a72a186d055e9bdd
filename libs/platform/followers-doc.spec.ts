import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, it } from '@jest/globals';
import type { Decided } from '#kernel';
import { codec, followers } from './registry.js';

/** Whatever stands in backticks. */
const NAME = /`([^`]+)`/g;
const namesIn = (cell: string): readonly string[] => [...cell.matchAll(NAME)].map(([, name = '']) => name);
const withoutVersion = (type: string): string => type.replace(/\.v\d+$/, '');

/** A line of the table for each type of event: `type: streams`. */
const lineOf = (type: string, streams: Iterable<string>): string =>
  `${withoutVersion(type)}: ${[...new Set(streams)].toSorted().join(', ')}`;

/** The table of followers in ARCHITECTURE.md: it begins below its head, and ends with an empty line. */
function linesOfPage(): readonly string[] {
  const page = readFileSync(resolve('ARCHITECTURE.md'), 'utf8');
  const [, table = ''] = /^\| decision +\| followers +\|\n\|[ -]+\|[ -]+\|\n((?:\|.*\n)+)/m.exec(page) ?? [];
  return table.split('\n').flatMap((row) => {
    const [, decisions = '', streams = ''] = row.split('|');
    return namesIn(decisions).map((type) => lineOf(type, namesIn(streams)));
  });
}

/** What the followers do with the samples of `test/golden`. */
function linesOfSamples(): readonly string[] {
  return followers.flatMap(({ on }) =>
    Object.entries(on).map(([type, follow]) => {
      const sample = JSON.parse(readFileSync(resolve('test/golden', `${type}.json`), 'utf8')) as {
        readonly stream: string;
        readonly data: object;
      };
      const metadata = { time: 1, command_id: 'c', correlation: 'r', causation: null, actor: 'a' };
      const event = codec.decode({ ...sample, type, id: 'e', revision: 0, position: 1n, metadata });
      return lineOf(
        type,
        follow(event as Decided<never>).map(({ decider }) => decider.category),
      );
    }),
  );
}

it('the table of followers in ARCHITECTURE.md names each event that has some, with the streams that they write to', () => {
  expect(linesOfPage().toSorted()).toEqual(linesOfSamples().toSorted());
});
