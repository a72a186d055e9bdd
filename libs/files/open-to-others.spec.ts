import { chmodSync, chownSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { tempFolder } from '../../test/support/temp-folder.js';
import { openToOthers } from './open-to-others.js';

const unix = process.platform === 'win32' ? describe.skip : describe;

unix('G9: a file with a secret', () => {
  let folder: ReturnType<typeof tempFolder>;
  let file: string;
  beforeEach(() => {
    folder = tempFolder();
    file = join(folder.path, 'key.pem');
    writeFileSync(file, 'secret');
  });
  afterEach(() => folder.remove());

  it.each([0o600, 0o400, 0o700])('with the mode %o is its owner’s alone', (mode) => {
    chmodSync(file, mode);
    expect(openToOthers(file)).toBeUndefined();
  });

  it.each([0o644, 0o640, 0o604, 0o620, 0o602, 0o777])('with the mode %o is open to others', (mode) => {
    chmodSync(file, mode);
    expect(openToOthers(file)).toBe(`other users can read or change ${file}: run chmod 600 ${file}`);
  });

  it('counts where a link leads to it, and has its name as a shell takes it', () => {
    const link = join(folder.path, "ann's key");
    symlinkSync(file, link);
    chmodSync(file, 0o644);
    expect(openToOthers(link)).toContain(String.raw`run chmod 600 '${join(folder.path, String.raw`ann'\''s key`)}'`);
    chmodSync(file, 0o600);
    expect(openToOthers(link)).toBeUndefined();
  });

  it('that is not there is reported by whoever reads it', () => {
    expect(openToOthers(join(folder.path, 'none'))).toBeUndefined();
    expect(openToOthers(join(file, 'none'))).toBeUndefined();
  });

  const asRoot = process.getuid?.() === 0 ? it : it.skip;
  asRoot('of another user may be read by its group, and by nobody else', () => {
    const { getuid } = process;
    chownSync(file, 65_534, 65_534);
    // Root reads everything: so this process says that it is somebody else.
    process.getuid = () => 1_000;
    try {
      chmodSync(file, 0o640);
      expect(openToOthers(file)).toBeUndefined();
      chmodSync(file, 0o644);
      expect(openToOthers(file)).toContain(`run as root: chown 1000 ${file} && chmod 600 ${file}`);
    } finally {
      if (getuid !== undefined) process.getuid = getuid;
    }
  });
});
