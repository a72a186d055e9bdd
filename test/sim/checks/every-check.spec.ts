import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { ROOT } from '../planted/targets.js';

const FOLDER = join(ROOT, 'test/sim/checks');

function sources(pattern: string, exclude: readonly string[] = []): string {
  const files = globSync(pattern, { cwd: FOLDER, exclude: [...exclude] });
  return files.map((file) => readFileSync(join(FOLDER, file), 'utf8')).join('\n');
}

describe('every invariant', () => {
  it('has a spec which shows that it can be violated', () => {
    const named = [...sources('*.ts', ['*.spec.ts']).matchAll(/new Violation\(\s*'([^']+)'/g)].map(
      ([, name = '']) => name,
    );
    expect(named.length).toBeGreaterThan(50);
    const specs = sources('*.spec.ts');
    const without = new Set(named.filter((name) => !["'", '`'].some((quote) => specs.includes(`${quote}${name}`))));
    expect([...without]).toEqual([]);
  });
});
