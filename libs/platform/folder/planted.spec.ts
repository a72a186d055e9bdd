import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  linkSync,
  lchownSync,
  mkdirSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { tempFolder } from '../../../test/support/temp-folder.js';
import { FolderRefused } from './faults.js';
import { refusePlanted } from './planted.js';

const unix = process.platform === 'win32' ? describe.skip : describe;
/** Only root can give files away. */
const asRoot = process.getuid?.() === 0 ? it : it.skip;
const SOMEBODY = 65_534;

/** Every name that a data folder of ours can have. */
const FILES = [
  ...['events.db', 'state.db', 'lock.db'].flatMap((name) => ['', '-wal', '-shm', '-journal'].map((end) => name + end)),
  ...['events.db.new', 'master.key', 'operator.token', 'auditor.token', 'demo.env', 'demo.loading', 'holdfast.json'],
  ...['sandbox-gateway.jsonl', 'master.key.tmp', 'operator.token.0f8b.tmp', 'holdfast.json.tmp', 'demo.env.tmp'],
  ...['views', 'outbox'],
];

unix('G9: a data folder in which somebody else put', () => {
  let parent: ReturnType<typeof tempFolder>;
  let folder: string;
  let elsewhere: string;

  beforeEach(() => {
    parent = tempFolder();
    folder = join(parent.path, 'data');
    elsewhere = join(parent.path, 'elsewhere');
    mkdirSync(join(folder, 'views', 'coupons'), { recursive: true, mode: 0o700 });
    chmodSync(folder, 0o700);
    writeFileSync(join(folder, 'views', 'coupons', '1.db'), 'rows');
    writeFileSync(elsewhere, 'theirs');
  });
  afterEach(() => parent.remove());

  const refusal = (dataDir = folder): string => {
    try {
      refusePlanted(dataDir);
    } catch (error) {
      expect(error).toBeInstanceOf(FolderRefused);
      return (error as Error).message;
    }
    return '';
  };

  it('nothing is taken as it is, and so is none', () => {
    for (const name of FILES.filter((each) => !['views', 'outbox'].includes(each)))
      writeFileSync(join(folder, name), '');
    mkdirSync(join(folder, 'outbox'));
    expect(refusal()).toBe('');
    expect(refusal(join(parent.path, 'none'))).toBe('');
  });

  it.each(FILES)('a link is refused, with path and advice: %s', (name) => {
    const path = join(name === 'views' ? join(parent.path, 'other') : folder, name);
    mkdirSync(join(parent.path, 'other'));
    symlinkSync(elsewhere, path);
    expect(refusal(join(path, '..'))).toContain(
      `${path} must be a file that the service can read, but it is a link to ${elsewhere}: remove it if you did not make it`,
    );
  });

  it.each(['views/standing', 'views/coupons/2.db', 'views/deals'])('a link is refused on every level: %s', (name) => {
    symlinkSync('/dev/null', join(folder, name));
    expect(refusal()).toContain(`${join(folder, name)} must be a file that the service can read, but it is a link`);
  });

  it('a link that leads nowhere is refused too: the service would make what it names', () => {
    symlinkSync(join(parent.path, 'to-come'), join(folder, 'operator.token'));
    expect(refusal()).toContain('operator.token must be a file that the service can read, but it is a link to');
    expect(readdirSync(parent.path)).not.toContain('to-come');
  });

  it('a second name of a file that stands elsewhere is refused', () => {
    linkSync(elsewhere, join(folder, 'events.db-wal'));
    expect(refusal()).toContain(
      'events.db-wal must be a file that the service can read, but the same file has another name',
    );
  });

  it('no second name, but a start that broke off left one, is taken', () => {
    writeFileSync(join(folder, 'operator.token.0f8b.tmp'), 'token');
    linkSync(join(folder, 'operator.token.0f8b.tmp'), join(folder, 'operator.token'));
    expect(refusal()).toBe('');
  });

  it('a pipe is refused', () => {
    execFileSync('mkfifo', [join(folder, 'state.db-wal')]);
    expect(refusal()).toContain('state.db-wal must be a file that the service can read, but it is a pipe: remove it');
  });

  it('many links: the refusal names five', () => {
    for (const name of FILES.slice(0, 8)) symlinkSync(elsewhere, join(folder, name));
    expect(refusal().match(/it is a link/g)).toHaveLength(5);
    expect(refusal()).toMatch(/; and 3 more\.$/);
  });

  it('links that are not ours are none of our business', () => {
    symlinkSync(elsewhere, join(folder, 'notes'));
    expect(refusal()).toBe('');
  });

  it('nothing yet, but where others can write: only its owner can from then on', () => {
    chmodSync(folder, 0o777);
    expect(refusal()).toBe('');
    expect(statSync(folder).mode & 0o777).toBe(0o755);
  });

  it.each([
    [0o777, `run chmod o-w`],
    [0o1777, 'name a folder of its own'],
  ])('files of theirs, where everybody can write (%o), is refused and stays as it is', (mode, advice) => {
    writeFileSync(join(folder, 'notes'), 'theirs');
    chmodSync(folder, mode);
    expect(refusal()).toContain(`${folder} (DATA_DIR) can be written to by every user of this machine: ${advice}`);
    expect(statSync(folder).mode & 0o7777).toBe(mode);
  });

  describe('itself: a link', () => {
    let link: string;
    beforeEach(() => {
      link = join(parent.path, 'link');
      symlinkSync(folder, link);
    });

    it('to a folder of this user is followed', () => {
      expect(refusal(link)).toBe('');
      symlinkSync(elsewhere, join(folder, 'events.db'));
      expect(refusal(link)).toContain(`${join(link, 'events.db')} must be a file`);
    });

    it('to a folder that others can write to is refused', () => {
      chmodSync(folder, 0o770);
      expect(refusal(link)).toContain(`is a link to ${folder}, which others can write to: run chmod go-w ${folder}`);
      expect(statSync(folder).mode & 0o777).toBe(0o770);
    });

    it('that leads nowhere is refused', () => {
      const astray = join(parent.path, 'astray');
      symlinkSync(join(parent.path, 'none'), astray);
      expect(refusal(astray)).toContain('which does not exist: make that folder, or remove the link');
    });

    asRoot('to another user’s folder is refused', () => {
      chownSync(folder, SOMEBODY, SOMEBODY);
      expect(refusal(link)).toContain('which belongs to another user');
    });

    asRoot('that another user made is refused, even if it leads to a folder of this one', () => {
      lchownSync(link, SOMEBODY, SOMEBODY);
      expect(refusal(link)).toContain(`is a link that another user made: set DATA_DIR to ${folder}`);
    });
  });
});
