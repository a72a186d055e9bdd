import { describe, expect, it } from '@jest/globals';
import { readOptions } from './options.js';

describe('the options of the benchmark', () => {
  it('choose the rows that make sense in one process, or on a cluster', () => {
    const [alone, large, cluster] = [[], ['--large'], ['--cluster']].map((args) => readOptions(args)?.rows ?? []);
    expect(alone).toContain('append');
    expect(alone).not.toContain('rebuild');
    expect(alone).not.toContain('reserve-cpu');
    expect(large).toContain('rebuild');
    expect(cluster).toEqual(expect.arrayContaining(['reserve', 'reserve-cpu', 'memory', 'v1-region']));
    expect(cluster).not.toContain('append');
    expect(cluster).not.toContain('rebuild');
  });

  it('give a cluster one API or as many as are asked for', () => {
    expect(readOptions([])?.cluster).toBeUndefined();
    expect(readOptions(['--cluster'])?.cluster).toEqual({ apis: 1 });
    expect(readOptions(['--cluster', '--apis', '2'])?.cluster).toEqual({ apis: 2 });
  });

  it.each([
    [['--apis', '2'], '--apis needs --cluster'],
    [['--cluster', '--apis', '1.5'], '--apis must be a whole number, not 1.5'],
    [['--cluster', '--row', 'append'], 'the row append cannot be measured with --cluster'],
    [['--row', 'reserve-cpu'], 'the row reserve-cpu needs --cluster'],
    [['--cluster', '--row', 'fastest'], 'there is no row fastest'],
    [['--turns', '0'], '--turns must be a number above 0'],
  ])('refuse %j', (args, words) => {
    expect(() => readOptions(args)).toThrow(words);
  });
});
