import { writeFileSync, readFileSync, chmodSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type Erasure, KeptErasures } from '#erasures-file';
import { type KeyValueStore, Unavailable } from '#eventsourcing';
import { KeyValuesInMemory } from '../../test/support/key-values-in-memory.js';
import { tempFolder } from '../../test/support/temp-folder.js';
import { ErasureRegister } from './register.js';

const NOW = Date.parse('2026-11-28T22:00:00.000Z');

describe('H10: the register of erasures', () => {
  let folder: ReturnType<typeof tempFolder>;
  let keyValues: KeyValuesInMemory;
  beforeEach(() => {
    folder = tempFolder();
    keyValues = new KeyValuesInMemory();
  });
  afterEach(() => folder.remove());

  const fileOf = (process: string): string => join(folder.path, `${process}.erasures`);
  const open = (process = 'a', values: KeyValueStore = keyValues): ErasureRegister =>
    new ErasureRegister({
      kept: KeptErasures.open(fileOf(process), 'ours'),
      keyValues: values,
      keyring: { hash: (_, person) => `hash of ${person}` },
      clock: { now: () => NOW },
      head: async () => 7n,
    });
  const personsIn = (process = 'a'): readonly string[] =>
    readFileSync(fileOf(process), 'utf8')
      .trim()
      .split('\n')
      .slice(1)
      .map((line) => (JSON.parse(line) as { readonly person: string }).person);
  const pendingOf = async (register: ErasureRegister): Promise<readonly string[]> =>
    (await register.pending()).map(({ line: { number, person }, reason }) => `${number} ${person}: ${reason}`);

  it('has a line and an entry for each, until it is done', async () => {
    const register = open();
    expect(await pendingOf(register)).toEqual([]);
    expect((await register.add('ann', 'asked')).line).toEqual({
      number: 1,
      person: 'hash of ann',
      at: '2026-11-28T22:00:00Z',
      position: '7',
    });
    await register.add('bob', 'asked too');
    expect(personsIn()).toEqual(['hash of ann', 'hash of bob']);
    expect(await pendingOf(register)).toEqual(['1 hash of ann: asked', '2 hash of bob: asked too']);
    const [ann, bob] = (await register.pending()).map(({ line }) => line) as [Erasure, Erasure];
    // Out of order: it is done again when those before it are done.
    await register.done(bob);
    expect(await pendingOf(register)).toHaveLength(2);
    await register.done(ann);
    expect(await pendingOf(register)).toEqual(['2 hash of bob: asked too']);
    await register.done(bob);
    expect(await pendingOf(register)).toEqual([]);
  });

  it('registers nobody twice whose erasure is not done', async () => {
    const register = open();
    await Promise.all([register.add('ann', 'first'), register.add('ann', 'second'), register.add('bob', 'third')]);
    expect(await pendingOf(register)).toEqual(['1 hash of ann: first', '2 hash of bob: third']);
  });

  it('knows after a kill what the file has and the entries lack', async () => {
    await open().add('ann', 'asked');
    // The line is on disk, and its entry is not.
    const lost = new KeyValuesInMemory();
    const again = open('a', lost);
    await again.agree();
    expect(await pendingOf(again)).toEqual(['1 hash of ann: erased before: an older copy of the data was put back']);
  });

  it('brings nobody back with an older copy of the entries', async () => {
    const register = open();
    await register.done((await register.add('ann', 'asked')).line);
    const older = new KeyValuesInMemory(keyValues.texts);
    await register.done((await register.add('bob', 'asked')).line);
    await register.add('cyd', 'asked');
    const restored = open('a', older);
    await restored.agree();
    expect((await restored.pending()).map(({ line }) => line.person)).toEqual(['hash of bob', 'hash of cyd']);
  });

  it('completes a file that was lost, or that another process has not followed', async () => {
    const a = open('a');
    const b = open('b');
    await a.add('ann', 'asked');
    await b.add('bob', 'asked');
    await a.add('cyd', 'asked');
    expect(personsIn('b')).toEqual(['hash of ann', 'hash of bob']);
    expect(personsIn('a')).toEqual(['hash of ann', 'hash of bob', 'hash of cyd']);
    await open('b').agree();
    expect(personsIn('b')).toEqual(personsIn('a'));
    await open('lost').agree();
    expect(personsIn('lost')).toEqual(personsIn('a'));
  });

  it('gives each number to one person, whichever process is quicker', async () => {
    const a = open('a');
    const b = open('b');
    const adding = ['p1', 'p2', 'p3', 'p4', 'p5', 'p6'].map((person, index) =>
      (index % 2 ? a : b).add(person, 'asked'),
    );
    const numbers = (await Promise.all(adding)).map(({ line }) => line.number);
    expect(numbers.toSorted()).toEqual([1, 2, 3, 4, 5, 6]);
    await Promise.all([open('a').agree(), open('b').agree()]);
    expect(personsIn('a')).toEqual(personsIn('b'));
  });

  it('a killed process that lost its number to another one gets the next', async () => {
    await open('a').add('ann', 'asked');
    const stale = KeptErasures.open(fileOf('b'), 'ours');
    stale.add({ number: 1, person: 'hash of bob', at: '2026-11-28T22:00:00Z', position: '7' });
    const b = open('b');
    await b.agree();
    expect(personsIn('b')).toEqual(['hash of ann', 'hash of bob']);
  });

  it.each([0, 2, 3])('refuses the file of another course of events by name, if %d are done', async (done) => {
    const register = open();
    for (const person of ['ann', 'bob', 'cyd']) await register.add(person, 'asked');
    for (const { line } of (await register.pending()).slice(0, done)) await register.done(line);
    writeFileSync(fileOf('a'), readFileSync(fileOf('a'), 'utf8').replace('hash of bob', 'hash of eve'));
    await expect(open().agree()).rejects.toThrow(`${fileOf('a')} is not the file of this installation's erasures`);
  });

  it('erases nobody while the file cannot be written', async () => {
    const register = open();
    chmodSync(fileOf('a'), 0o400);
    const isRoot = process.getuid?.() === 0;
    const added = register.add('ann', 'asked');
    if (!isRoot) await expect(added).rejects.toThrow(Unavailable);
    const none = new ErasureRegister({
      kept: new Error('there is no file'),
      keyValues,
      keyring: { hash: (_, person) => person },
      clock: { now: () => NOW },
      head: async () => 7n,
    });
    await none.agree();
    await expect(none.add('ann', 'asked')).rejects.toThrow('nobody can be erased: there is no file');
  });
});
