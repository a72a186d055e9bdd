import { beforeEach, describe, expect, it } from '@jest/globals';
import { thisMachine } from '#adapters/machine';
import { KeyValuesInMemory } from '../../test/support/key-values-in-memory.js';
import { KeyStoreWatch } from './key-store-watch.js';
import { LogMark, type Mark } from './log-mark.js';
import { rememberAccepted } from './accepted.js';

describe('a key store under a running process', () => {
  let keyValues: KeyValuesInMemory;
  let mark: LogMark;
  let watch: KeyStoreWatch;
  const at = (position: bigint): Mark => ({
    identity: 'log',
    position,
    stream: 's-1',
    revision: 0,
    id: `e${position}`,
  });
  const put = (texts: ReadonlyMap<string, string>): void => {
    keyValues.texts.clear();
    for (const [name, text] of texts) keyValues.texts.set(name, text);
  };
  const moveTo = async (position: bigint): Promise<void> => {
    mark.saw(at(position));
    await mark.save();
  };

  beforeEach(async () => {
    keyValues = new KeyValuesInMemory();
    await keyValues.insert('installation', 'one');
    mark = new LogMark(keyValues, thisMachine.time);
    await mark.reset(at(3n));
    watch = await KeyStoreWatch.begin(keyValues, mark);
  });

  it('is unchanged while the mark moves forward, whichever process moves it', async () => {
    await moveTo(5n);
    const other = new LogMark(keyValues, thisMachine.time);
    other.saw(at(9n));
    await other.save();
    expect(await watch.look()).toBeUndefined();
    await moveTo(7n);
    expect([await watch.look(), (await mark.read())?.position]).toEqual([undefined, 9n]);
    await mark.close();
    await other.close();
  });

  it.each<[string, (older: ReadonlyMap<string, string>) => ReadonlyMap<string, string>, string]>([
    ['an older copy', (older) => older, 'The key store was replaced by an older copy'],
    ['dropped', () => new Map(), 'The key store was deleted'],
    [
      'another installation’s',
      (older) => new Map([...older, ['installation', 'two']]),
      'The key store belongs to another installation (two)',
    ],
  ])('that is %s is found and not written to, and is right again when the original is back', async (_, made, words) => {
    const older = new Map(keyValues.texts);
    await moveTo(5n);
    const right = new Map(keyValues.texts);
    put(made(older));
    const found = await watch.look();
    expect([found?.kind, found?.words, await watch.isRight()]).toEqual([
      'key store',
      expect.stringContaining(words),
      false,
    ]);
    await moveTo(8n);
    expect(keyValues.texts).toEqual(made(older));
    expect((await watch.look())?.code).toBe(found?.code);
    put(right);
    expect([await watch.look(), await watch.isRight()]).toEqual([undefined, true]);
    await mark.close();
  });

  it('has another mark after an operator accepted another state of the log at another process', async () => {
    await moveTo(5n);
    await rememberAccepted(keyValues, { code: 'c', identity: 'log', position: '2' });
    await new LogMark(keyValues, thisMachine.time).reset(at(2n));
    expect([(await watch.look())?.kind, await watch.isRight()]).toEqual(['accepted elsewhere', true]);
    await mark.close();
  });

  // The later of two questions may be answered first.
  it('does not count as an older copy because an answer was late', async () => {
    const slow = Promise.withResolvers<undefined>();
    const get = keyValues.get.bind(keyValues);
    keyValues.get = async (name) => {
      const text = await get(name);
      await slow.promise;
      return text;
    };
    const late = watch.look();
    keyValues.get = get;
    await moveTo(6n);
    slow.resolve(undefined);
    expect(await late).toBeUndefined();
    await mark.close();
  });
});
