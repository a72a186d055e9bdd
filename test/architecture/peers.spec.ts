import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';

/** Imports of the folder, from anywhere. */
const IMPORT = /\b(?:from|import)\s*\(?\s*['"`][^'"`]*\bbench\/peers\//;
/** Packages that the product needs too. */
const OURS_TOO = ['fastify'];

interface Manifest {
  readonly workspaces?: unknown;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

function packagesOf(file: string): readonly string[] {
  const { dependencies, devDependencies, optionalDependencies } = JSON.parse(readFileSync(file, 'utf8')) as Manifest;
  return Object.keys({ ...dependencies, ...devDependencies, ...optionalDependencies });
}

describe('the comparison with others (bench/peers)', () => {
  it('is imported by nothing', () => {
    const sources = globSync(['*.{js,cjs}', '{apps,libs,test,scripts}/**/*.{ts,js,mjs}']);
    expect(sources.length).toBeGreaterThan(500);
    expect(sources.filter((source) => IMPORT.test(readFileSync(source, 'utf8')))).toEqual([]);
  });

  it('has packages of its own, which the project neither needs nor installs', () => {
    const theirs = packagesOf('bench/peers/package.json');
    expect(theirs).toContain('pg');
    const ours = packagesOf('package.json');
    expect(theirs.filter((name) => ours.includes(name))).toEqual(OURS_TOO);
    expect(readFileSync('package-lock.json', 'utf8')).not.toContain('bench/peers');
  });

  it('fits the parts of the benchmark that it uses', () => {
    const compiler = ['node_modules/typescript-7/bin/tsc', '-p', 'bench/peers'];
    const { status, stdout } = spawnSync(process.execPath, compiler, { encoding: 'utf8' });
    expect({ status, stdout }).toEqual({ status: 0, stdout: '' });
  });
});
