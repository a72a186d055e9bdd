import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { CACHE_SHARES, cacheBytes, CACHED_IN_ALL } from './cache-shares.js';

const names = Object.keys(CACHE_SHARES) as (keyof typeof CACHE_SHARES)[];

describe('the caches of a process', () => {
  it.each([64, 256, 512, 4_096, 16_384])('keep together to their share of %i MiB', (mebibytes) => {
    const memory = mebibytes * 1024 * 1024;
    const all = names.reduce((sum, name) => sum + cacheBytes(name, memory), 0);
    expect(all).toBeLessThanOrEqual(CACHED_IN_ALL * memory);
    for (const name of names) expect(cacheBytes(name, memory)).toBeGreaterThan(0);
  });

  it('use most of the share, where there is little memory', () => {
    const memory = 256 * 1024 * 1024;
    const all = names.reduce((sum, name) => sum + cacheBytes(name, memory), 0);
    expect(all).toBeGreaterThan(0.8 * CACHED_IN_ALL * memory);
  });
});

describe('docs/bounds.md', () => {
  it('lists what each cache may hold', () => {
    const page = readFileSync('docs/bounds.md', 'utf8');
    const listed = [...page.matchAll(/^\| [^|]+ \| 1\/(\d+) +\| (\d*) *\|$/gm)].map(([, part, most]) => ({
      part: 1 / Number(part),
      most: most === '' ? Infinity : Number(most),
    }));
    expect(listed).toEqual(Object.values(CACHE_SHARES));
    expect(page).toContain('Together the first ones keep to half of the bytes');
  });

  it('has each cache of large entries: none has a size of its own', () => {
    const files = globSync('libs/**/*.ts', { exclude: ['**/*.spec.ts', '**/cache-shares.ts'] });
    const own = files.filter((file) =>
      /new (?:BoundedMap|ViewCache)[^;]*\d+ \* 1024|= \d+ \* 1024 \* 1024;\s*[^]*new BoundedMap/.test(
        readFileSync(file, 'utf8'),
      ),
    );
    expect(own).toEqual([]);
  });
});
