import { appendFileSync, existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { tempFolder } from '../../test/support/temp-folder.js';
import { type Erasure, erasuresText } from './erasures-file.js';
import { KeptErasures } from './kept-erasures.js';

const erasure = (number: number, person = `p${number}`): Erasure => ({
  number,
  person,
  at: '2026-11-28T22:00:00.000Z',
  position: '7',
});

describe('H10: the kept file of erasures', () => {
  let folder: ReturnType<typeof tempFolder>;
  let file: string;
  beforeEach(() => {
    folder = tempFolder();
    file = join(folder.path, 'data.erasures');
  });
  afterEach(() => folder.remove());
  const open = (installation = 'ours'): KeptErasures => KeptErasures.open(file, installation);
  const text = (): string => readFileSync(file, 'utf8');

  it('is made with a head, and only its owner may read it', () => {
    expect(open().count).toBe(0);
    expect(text()).toBe(erasuresText({ installation: 'ours', lines: [] }));
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it('takes erasures, also after it is opened again', () => {
    open().add(erasure(1));
    const again = open();
    again.add(erasure(2));
    expect(again.count).toBe(2);
    expect(again.read()).toEqual([erasure(1), erasure(2)]);
  });

  it('replaces its last erasure, whatever the length', () => {
    const kept = open();
    kept.add(erasure(1));
    kept.add(erasure(2, 'somebody with a long name'));
    kept.replaceLast(erasure(2, 'x'));
    kept.add(erasure(3));
    expect(open().read()).toEqual([erasure(1), erasure(2, 'x'), erasure(3)]);
    const reopened = open();
    reopened.replaceLast(erasure(3, 'other'));
    expect(reopened.read()).toEqual([erasure(1), erasure(2, 'x'), erasure(3, 'other')]);
  });

  it('loses a line that a killed process left unfinished', () => {
    open().add(erasure(1));
    appendFileSync(file, '{"number":2,"per');
    open().add(erasure(2));
    expect(text()).toBe(erasuresText({ installation: 'ours', lines: [erasure(1), erasure(2)] }));
  });

  it('of another installation is replaced if it erased nobody, and otherwise refused', () => {
    open('theirs');
    open().add(erasure(1));
    expect(() => open('theirs')).toThrow(`${file} has the erasures of another installation`);
    expect(open().count).toBe(1);
  });

  it('that is empty is made anew: a full disk at the first start leaves one', () => {
    writeFileSync(file, '');
    expect(open().count).toBe(0);
    expect(text()).toBe(erasuresText({ installation: 'ours', lines: [] }));
  });

  it.each<[string, (kept: KeptErasures) => void]>([
    ['emptied', () => writeFileSync(file, '')],
    ['cut off', () => writeFileSync(file, text().slice(0, -5))],
    ['replaced by one of another installation', () => writeFileSync(file, text().replace('ours', 'them'))],
    ['overwritten', () => writeFileSync(file, text().replace('"p1"', '"x1"'))],
    ['deleted', () => rmSync(file)],
  ])('takes nothing once another program has %s it, and is left as it is', (_, change) => {
    const kept = open();
    kept.add(erasure(1));
    change(kept);
    const before = existsSync(file) ? text() : undefined;
    expect(() => kept.add(erasure(2))).toThrow(`${file} cannot be written`);
    expect(() => kept.replaceLast(erasure(1, 'y'))).toThrow(`${file} cannot be written`);
    expect(existsSync(file) ? text() : undefined).toBe(before);
    expect(kept.count).toBe(1);
  });

  it('of two new installations that name the same file, only the last one writes to it', () => {
    const one = open('one');
    const two = open('two');
    expect(() => one.add(erasure(1))).toThrow('another program has changed it');
    two.add(erasure(1));
    expect(open('two').read()).toEqual([erasure(1)]);
  });

  it('in a folder that is not there is refused by name', () => {
    file = join(folder.path, 'missing', 'data.erasures');
    expect(() => open()).toThrow(`${file} cannot be written: its folder does not exist`);
  });

  it('that is damaged is refused, and left as it is', () => {
    writeFileSync(file, 'shopping list\n');
    expect(() => open()).toThrow(`${file} is no file of erasures`);
    expect(text()).toBe('shopping list\n');
  });
});
