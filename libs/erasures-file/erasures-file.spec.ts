import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { tempFolder } from '../../test/support/temp-folder.js';
import { type Erasures, erasuresText, firstLacking, parseErasures, readErasures } from './erasures-file.js';

const folder = tempFolder();
afterAll(() => folder.remove());

const erasures = (...persons: string[]): Erasures => ({
  installation: 'ours',
  lines: persons.map((person, index) => ({
    number: index + 1,
    person,
    at: '2026-11-28T22:00:00Z',
    position: `${index + 7}`,
  })),
});

describe('a file of erasures', () => {
  it('is read as it was written', () => {
    const file = join(folder.path, 'some.erasures');
    expect(readErasures(file)).toBeUndefined();
    writeFileSync(file, erasuresText(erasures('a1', 'b2')));
    expect(readErasures(file)).toEqual(erasures('a1', 'b2'));
  });

  it('has a head of its own, and one line per erasure', () => {
    expect(erasuresText(erasures('a1'))).toBe(
      '{"holdfast":"erasures","format":1,"installation":"ours"}\n' +
        '{"number":1,"person":"a1","at":"2026-11-28T22:00:00Z","position":"7"}\n',
    );
  });

  it('loses an unfinished last line, which nobody was told of', () => {
    const text = erasuresText(erasures('a1', 'b2'));
    expect(parseErasures('file', text.slice(0, -1)).lines).toEqual(erasures('a1').lines);
  });

  it.each([
    ['no head', 'its first line is not the head', (text: string) => text.slice(text.indexOf('\n') + 1)],
    ['a newer format', 'its first line is not the head', (text: string) => text.replace('"format":1', '"format":2')],
    ['nothing', 'its first line is not the head', () => ''],
    [
      'a line that is no JSON',
      'line 3 must be the erasure number 2',
      (text: string) => text.replace('{"number":2', '{'),
    ],
    ['a missing line', 'line 2 must be the erasure number 1', (text: string) => text.replace(/\{"number":1.*\n/, '')],
    ['a time that is none', 'line 2', (text: string) => text.replace('2026-11-28T22', 'yesterday')],
    ['an unknown field', 'line 2', (text: string) => text.replace('"person":', '"name":"x","person":')],
  ])('with %s is refused by name', (_, message, change) => {
    const parse = () => parseErasures('/some/file', change(erasuresText(erasures('a1', 'b2'))));
    expect(parse).toThrow('/some/file');
    expect(parse).toThrow(message);
  });

  it('goes on from an older one, or the first line that differs is known', () => {
    expect(firstLacking(erasures('a1', 'b2'), erasures('a1'))).toBeUndefined();
    expect(firstLacking(erasures('a1'), erasures('a1'))).toBeUndefined();
    expect(firstLacking(erasures('a1'), erasures('a1', 'b2'))?.number).toBe(2);
    expect(firstLacking(erasures('x9', 'b2'), erasures('a1', 'b2'))?.number).toBe(1);
  });
});
