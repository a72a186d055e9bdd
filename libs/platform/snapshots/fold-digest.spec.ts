import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { tempFolder } from '../../../test/support/temp-folder.js';
import { foldDigest } from './fold-digest.js';

describe('the digest of a fold', () => {
  let folder: ReturnType<typeof tempFolder>;
  beforeEach(() => void (folder = tempFolder()));
  afterEach(() => folder.remove());

  /** A small tree: what the decider imports, and what it does not. */
  const TREE = {
    'dist/libs/a/x.decider.js': `import { List } from 'immutable';\nimport { one,\n  two, } from '#kernel';\nimport './x.rules.js';\n`,
    'dist/libs/a/x.rules.js': `export * from '#kernel/bounds';\nexport { thing } from '#b/model';\nimport 'node:util';\n`,
    'dist/libs/kernel/index.js': `export * from './ids.js';`,
    'dist/libs/kernel/ids.js': `import { basename } from 'node:path';\nexport const one = 1;\n// import './none.js';\n`,
    'dist/libs/kernel/bounds/index.js': `export const MOST = 2;`,
    'dist/libs/b/model.js': `import '@scope/name/part';\nexport const thing = "from 'nowhere'";`,
    'dist/libs/b/index.js': `import './not-reached.js';`,
    'node_modules/immutable/package.json': `{ "version": "5.0.0" }`,
    'node_modules/@scope/name/package.json': `{ "version": "1.0.0" }`,
  };
  const digest = (changes: Readonly<Record<string, string>> = {}, name = 'tree'): string => {
    const root = join(folder.path, name);
    for (const [path, text] of Object.entries({ ...TREE, ...changes })) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text);
    }
    return foldDigest(root, ['a/x.decider.js']);
  };

  it('is that of the same content, wherever it lies', () => {
    expect(digest()).toMatch(/^[0-9a-f]{32}$/);
    expect(digest({}, 'elsewhere')).toBe(digest());
  });

  it.each(Object.keys(TREE).filter((path) => path.endsWith('.js') && path !== 'dist/libs/b/index.js'))(
    'changes with %s',
    (path) => {
      const text = TREE[path as keyof typeof TREE];
      expect(digest({ [path]: `${text}\nexport const more = 1;` })).not.toBe(digest());
    },
  );

  it.each(['immutable', '@scope/name'])('changes with the version of %s', (name) => {
    expect(digest({ [`node_modules/${name}/package.json`]: `{ "version": "5.0.1" }` })).not.toBe(digest());
  });

  it('does not change with what nobody imports', () => {
    const before = digest();
    expect(digest({ 'dist/libs/b/index.js': 'export const more = 1;', 'dist/libs/a/y.decider.js': '' })).toBe(before);
  });

  it('cannot be made without one of the files', () => {
    expect(() => digest({ 'dist/libs/a/x.decider.js': `import './gone.js';` })).toThrow('gone.js');
  });
});
