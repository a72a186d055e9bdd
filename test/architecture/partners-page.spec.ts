import { readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { TABLE } from '../interface/conventions.table.js';

it('docs/partners.md names every call of partners, and no other', () => {
  const page = readFileSync('docs/partners.md', 'utf8');
  const rows = page.split('\n').filter((line) => line.startsWith('| '));
  const named = rows.flatMap((row) => [...row.matchAll(/`((?:GET|POST|PUT|DELETE) [^`]+)`/g)].map(([, call]) => call));
  const calls = Object.entries(TABLE).flatMap(([route, { who }]) => (/^partner/.test(who) ? [route] : []));
  expect(named.toSorted()).toEqual(calls.toSorted());
});
