import { execFileSync } from 'node:child_process';
import { join, relative } from 'node:path';
import { describe, expect, it } from '@jest/globals';

const root = join(import.meta.dirname, '../../..');

/** The specs that Jest finds for these arguments, as paths from `dist`. */
function found(script: string, args: readonly string[]): readonly string[] {
  const env = { ...process.env, NODE_OPTIONS: '' };
  const output = execFileSync(process.execPath, [join(root, script), ...args, '--listTests'], {
    cwd: root,
    env,
    encoding: 'utf8',
  });
  const specs = output.split('\n').filter((line) => line.endsWith('.spec.js'));
  return specs.map((path) => relative(join(root, 'dist'), path));
}

describe('the arguments of npm test', () => {
  it('match paths from the project’s folder, whatever the folders above it are called', () => {
    const name = root.split('/').at(-1) ?? '';
    const specs = found('scripts/jest.mjs', [`^${name}|/${name}/`]);
    expect(specs).toEqual([]);
    const holds = found('scripts/jest.mjs', ['hold']);
    expect(holds).toContain('libs/purchasing/inventory/token-holds.spec.js');
    for (const spec of holds) expect(spec).toMatch(/hold/i);
  });

  it.each([
    'libs/http/paths.spec.ts',
    'dist/libs/http/paths.spec.js',
    './libs/http/paths.spec.ts',
    join(root, 'libs/http/paths.spec.ts'),
    join(root, 'libs/http/paths.spec.ts').replaceAll('.', '\\.'),
  ])('find the compiled spec of %s', (path) => {
    expect(found('scripts/jest.mjs', [path])).toEqual(['libs/http/paths.spec.js']);
  });

  it('leave the values of options as they are', () => {
    expect(found('scripts/jest.mjs', ['-t', 'hold', 'libs/http/paths'])).toEqual(['libs/http/paths.spec.js']);
  });
});

it('Jest runs the compiled specs also for those who start it by itself, as editors do', () => {
  expect(found('node_modules/jest/bin/jest.js', ['libs/http/paths.spec.ts'])).toEqual(['libs/http/paths.spec.js']);
});
