import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';

describe('the SQL of the embedded engines', () => {
  it('binds no number right behind LIMIT, because each value would compile the statement again', () => {
    const files = globSync('libs/**/*.ts', { exclude: ['**/*.spec.ts', 'libs/adapters/embedded/up-to.ts'] });
    const sources = files.map((file) => [file, readFileSync(file, 'utf8')] as const);
    expect(sources.filter(([, text]) => text.includes('upTo(')).length).toBeGreaterThan(1);
    expect(sources.filter(([, text]) => /LIMIT (\?|\$\{(this\.bind|limit))/.test(text)).map(([file]) => file)).toEqual(
      [],
    );
  });
});
