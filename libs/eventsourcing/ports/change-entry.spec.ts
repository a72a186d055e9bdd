import { describe, expect, it } from '@jest/globals';
import { changeEntry } from '#eventsourcing';
import { KeyValuesInMemory } from '../../../test/support/key-values-in-memory.js';

/** Somebody else writes between a look at an entry and its change. */
class Rivals extends KeyValuesInMemory {
  constructor(private readonly rivals: string[]) {
    super();
  }

  override async get(name: string): Promise<string | undefined> {
    const text = await super.get(name);
    const rival = this.rivals.shift();
    if (rival !== undefined) this.texts.set(name, rival);
    return text;
  }
}

const add = (text: string | undefined): string => `${text ?? ''}x`;

describe('changeEntry', () => {
  it('makes an entry, and changes it', async () => {
    const keyValues = new KeyValuesInMemory();
    expect(await changeEntry(keyValues, 'entry', add)).toBe('x');
    expect(await changeEntry(keyValues, 'entry', add)).toBe('xx');
    expect(keyValues.texts.get('entry')).toBe('xx');
  });

  it('changes what others wrote meanwhile', async () => {
    const keyValues = new Rivals(['a', 'b']);
    expect(await changeEntry(keyValues, 'entry', add)).toBe('bx');
    expect(keyValues.texts.get('entry')).toBe('bx');
  });

  it('loses no change of any number of rivals', async () => {
    const keyValues = new KeyValuesInMemory();
    keyValues.texts.set('entry', '');
    await Promise.all(Array.from({ length: 20 }, () => changeEntry(keyValues, 'entry', add)));
    expect(keyValues.texts.get('entry')).toBe('x'.repeat(20));
  });

  it('writes nothing if there is nothing to change', async () => {
    const keyValues = new KeyValuesInMemory();
    expect(await changeEntry(keyValues, 'entry', () => undefined)).toBeUndefined();
    expect(keyValues.texts.size).toBe(0);
    keyValues.texts.set('entry', 'there');
    keyValues.replace = () => Promise.reject(new Error('written'));
    expect(await changeEntry(keyValues, 'entry', () => undefined)).toBe('there');
    expect(await changeEntry(keyValues, 'entry', (text) => text)).toBe('there');
  });
});
