import { beforeEach, describe, expect, it } from '@jest/globals';
import { findingOf, type Finding, Unavailable } from '#eventsourcing';
import { KeyValuesInMemory } from '../../test/support/key-values-in-memory.js';
import { NotedStreams } from './noted-streams.js';

const found = (stream: string, rest: Partial<Finding> = {}): Finding => ({
  ...findingOf('cut', 'cut', ['$maxCount 1'], stream),
  ...rest,
});

describe('streams with a finding', () => {
  let keyValues: KeyValuesInMemory;
  let looked: string[];
  let bad: Set<string>;
  beforeEach(() => {
    keyValues = new KeyValuesInMemory();
    looked = [];
    bad = new Set();
  });
  const process = (): NotedStreams =>
    new NotedStreams(keyValues, ({ stream, revision }) => {
      looked.push(`${stream}@${revision}`);
      return Promise.resolve(bad.has(stream));
    });
  const note = async (...findings: readonly Finding[]): Promise<void> => {
    const one = process();
    for (const finding of findings) one.note(finding);
    await one.close();
  };

  it('are looked at once by other processes and later starts, at the place of the finding', async () => {
    await note(found('deal-1'), found('deal-2', { from: 3, below: 5 }), found('deal-3', { at: 7 }), found('deal-1'));
    bad = new Set(['deal-1', 'deal-2', 'deal-3']);
    const other = process();
    await other.look(true);
    await other.look(true);
    expect(looked).toEqual(['deal-1@0', 'deal-2@3', 'deal-3@7']);
    await process().look(true);
    expect(looked).toHaveLength(6);
  });

  it('do not include findings of the whole log', async () => {
    await note(findingOf('identity', 'another log', []));
    await process().look(true);
    expect(looked).toEqual([]);
  });

  it('are removed by a start that finds them whole, and by nobody else', async () => {
    await note(found('deal-1'), found('deal-2'));
    bad = new Set(['deal-2']);
    await process().look(false);
    await process().look(true);
    looked = [];
    await process().look(true);
    expect(looked).toEqual(['deal-2@0']);
  });

  it('are noted again if they have a finding after their removal', async () => {
    await note(found('deal-1'));
    const later = process();
    await later.look(true);
    later.note(found('deal-1'));
    await later.close();
    looked = [];
    await process().look(true);
    expect(looked).toEqual(['deal-1@0']);
  });

  it('are looked at again if a look failed', async () => {
    await note(found('deal-1'));
    let away = true;
    const one = new NotedStreams(keyValues, ({ stream }) => {
      looked.push(stream);
      return away ? Promise.reject(new Unavailable('away')) : Promise.resolve(true);
    });
    await expect(one.look(true)).rejects.toThrow('away');
    away = false;
    await one.look(true);
    expect(looked).toEqual(['deal-1', 'deal-1']);
  });

  it('can be noted by several processes at once, at most a hundred', async () => {
    const names = Array.from({ length: 80 }, (_, nth) => nth);
    await Promise.all(['a', 'b'].map((who) => note(...names.map((nth) => found(`${who}-${nth}`)))));
    await process().look(false);
    expect(looked).toHaveLength(100);
    expect(looked.some((each) => each.startsWith('a-')) && looked.some((each) => each.startsWith('b-'))).toBe(true);
  });

  it('are noted with the next look if the note failed', async () => {
    let away = true;
    class Away extends KeyValuesInMemory {
      override insert(name: string, text: string): Promise<string> {
        return away ? Promise.reject(new Unavailable('away')) : super.insert(name, text);
      }
    }
    keyValues = new Away();
    const one = process();
    one.note(found('deal-1'));
    expect(await one.settle()).toBe(false);
    away = false;
    await one.look(false);
    expect(await one.settle()).toBe(true);
    await process().look(false);
    expect(looked).toEqual(['deal-1@0']);
  });
});
