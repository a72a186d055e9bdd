import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';

interface Component {
  readonly purl: string;
  readonly properties?: readonly { readonly name: string; readonly value: string }[];
}

interface Packages {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
}

it('npm run sbom lists each package with its version, and marks those that only tests and the build need', () => {
  const { status, stdout } = spawnSync('npm', ['run', '--silent', 'sbom'], { encoding: 'utf8', maxBuffer: 1 << 26 });
  expect(status).toBe(0);
  const found = JSON.parse(stdout) as { readonly bomFormat: string; readonly components: readonly Component[] };
  expect(found.bomFormat).toBe('CycloneDX');
  const isForTests = ({ properties = [] }: Component): boolean =>
    properties.some(({ name, value }) => name === 'cdx:npm:package:development' && value === 'true');
  const marks = new Map(found.components.map((each) => [decodeURIComponent(each.purl), isForTests(each)]));
  const own = JSON.parse(readFileSync('package.json', 'utf8')) as Packages;
  const marked = (of: Readonly<Record<string, string>>): readonly (boolean | undefined)[] =>
    Object.entries(of).map(([name, version]) => marks.get(`pkg:npm/${name}@${version}`));
  expect(new Set(marked(own.dependencies))).toEqual(new Set([false]));
  const { jest = '', oxlint = '', oxfmt = '' } = own.devDependencies;
  expect(marked({ jest, oxlint, oxfmt })).toEqual([true, true, true]);
});
