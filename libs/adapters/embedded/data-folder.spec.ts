import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { isFolderInUse, lockDataFolder } from '#adapters/embedded';
import { readLocked } from '../../../test/support/read-locked.js';

let parent: string;
let dir: string;

beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'holdfast-folder-'));
  dir = join(parent, 'data', 'here');
});

afterEach(() => rmSync(parent, { recursive: true }));

describe('the data folder', () => {
  it('is made for its owner only', () => {
    const folder = lockDataFolder(dir);
    expect(folder.dir).toBe(dir);
    if (process.platform !== 'win32') expect(statSync(dir).mode & 0o777).toBe(0o700);
    folder.release();
  });

  it('is taken only once, until it is released', () => {
    const folder = lockDataFolder(dir);
    expect(() => lockDataFolder(dir)).toThrow(`another Holdfast runs on the data folder ${dir}`);
    folder.release();
    folder.release();
    lockDataFolder(dir).release();
  });

  it('is refused to a second process, and free again when the first one is killed', async () => {
    const module = new URL('./data-folder.js', import.meta.url).href;
    const program = `import { lockDataFolder } from ${JSON.stringify(module)};
      lockDataFolder(${JSON.stringify(dir)}); process.stdout.write('locked'); setInterval(() => {}, 1000);`;
    const parameters = ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', program];
    const child = spawn(process.execPath, parameters, { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(child.stdout, 'data');
    expect(() => lockDataFolder(dir)).toThrow('another Holdfast runs on');
    child.kill('SIGKILL');
    await once(child, 'close');
    lockDataFolder(dir).release();
  });

  it('names the file that prevents the lock', () => {
    mkdirSync(dir, { recursive: true });
    writeFileSync(join(dir, 'lock.db'), 'this is no database, and long enough to be read as one'.repeat(20));
    expect(() => lockDataFolder(dir)).toThrow(join(dir, 'lock.db'));
  });

  it('G8.2: is known to be in use, by a look that writes nothing', () => {
    expect([isFolderInUse(dir), existsSync(dir)]).toEqual([false, false]);
    const folder = lockDataFolder(dir);
    expect(isFolderInUse(dir)).toBe(true);
    folder.release();
    expect(isFolderInUse(dir)).toBe(false);
  });

  it('G8.2: a start waits for somebody who only looks', async () => {
    lockDataFolder(dir).release();
    const { ended } = await readLocked(join(dir, 'lock.db'));
    lockDataFolder(dir).release();
    await ended;
  });
});
