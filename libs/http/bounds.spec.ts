import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import {
  BODY_LIMITS,
  FAULTS_TOLD,
  FREE_OBJECT,
  HEADERS,
  LISTS,
  LONGEST_IN_PATH,
  LONGEST_LINE,
  TEXTS,
} from './bounds.js';

describe('docs/bounds.md', () => {
  const page = readFileSync('docs/bounds.md', 'utf8');
  const rows = new Map([...page.matchAll(/^\| `([\w-]+)` +\| (\d+) /gm)].map(([, name, most]) => [name, Number(most)]));

  it('tells every text, list, header and body, and no other', () => {
    const texts = Object.entries(TEXTS).map(([name, { most }]) => [name, most] as const);
    const known = [...texts, ...[LISTS, HEADERS, BODY_LIMITS].flatMap((each) => Object.entries(each))];
    expect([...rows].sort()).toEqual([...known].sort());
  });

  it('tells the others in words', () => {
    for (const most of [...Object.values(FREE_OBJECT), FAULTS_TOLD, LONGEST_IN_PATH, LONGEST_LINE]) {
      expect(page).toMatch(new RegExp(`\\b${most}\\b`));
    }
  });

  it('says which texts have lines', () => {
    for (const [name, bound] of Object.entries(TEXTS)) {
      const row = new RegExp(`^\\| \`${name}\` +\\| \\d+ +\\| (yes)? `, 'm').exec(page);
      expect([name, row?.[1] === 'yes']).toEqual([name, 'lines' in bound]);
    }
  });
});
