import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import { RefusedStarts } from '../support/refused-starts.js';
import { SmallDisk } from '../support/small-disk.js';
import { tempFolder } from '../support/temp-folder.js';

/** A start that waits for a pipe, or reads a device without end, says nothing. */
const WITHIN = 120_000;

/** What can be at a path in place of a file, and the words of the refusal. */
const KINDS: Readonly<Record<string, readonly [make: (path: string) => unknown, words: string]>> = {
  'a folder': [(path) => mkdirSync(path), 'it is a folder'],
  'a pipe': [(path) => execFileSync('mkfifo', [path]), 'it is a pipe'],
  'a device': [(path) => symlinkSync('/dev/zero', path), 'it is a device'],
};
/** In the data folder, not even a link is followed. */
const IN_FOLDER: typeof KINDS = {
  ...KINDS,
  'a device': [(path) => symlinkSync('/dev/zero', path), 'it is a link to /dev/zero'],
};
const NOTHING: readonly [make: (path: string) => unknown, words: string] = [
  () => undefined,
  'it does not exist (ENOENT)',
];

describe('G9: a start that finds something else than the file that it needs', () => {
  const parent = tempFolder();
  const starts = new RefusedStarts();
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(join(parent.path, 'case-'));
  });
  afterAll(async () => {
    await starts.end();
    parent.remove();
  });

  /** The text of the refusal. The data folder is `data` if the environment names no other one. */
  async function refusal(env: Readonly<Record<string, string>>): Promise<string> {
    const base = { PORT: '0', DATA_DIR: join(folder, 'data'), DEMO: 'false', LOG_LEVEL: 'silent' };
    const late = new Promise<string>((resolve) => setTimeout(() => resolve('it still waits'), WITHIN).unref());
    return Promise.race([starts.saidIn({ ...base, ...env }), late]);
  }

  const tls = 'tls=true&';
  describe.each<[string, (path: string) => Readonly<Record<string, string>>]>([
    ['TLS_CERT', (path) => ({ TLS_CERT: path, TLS_KEY: path })],
    ...['tlsCAFile', 'tlsCRLFile', 'tlsCertificateKeyFile'].map(
      (option): [string, (path: string) => Readonly<Record<string, string>>] => [
        `MONGODB_URL, option ${option}`,
        (path) => ({ MONGODB_URL: `mongodb://127.0.0.1:9/x?${tls}${option}=${encodeURIComponent(path)}` }),
      ],
    ),
    [
      'EVENTSTORE_URL, option tlsCAFile',
      (path) => ({ EVENTSTORE_URL: `esdb://127.0.0.1:9?${tls}tlsCAFile=${encodeURIComponent(path)}` }),
    ],
    [
      'EVENTSTORE_URL, option userCertFile',
      (path) => ({
        EVENTSTORE_URL: `esdb://127.0.0.1:9?${tls}userCertFile=${encodeURIComponent(path)}&userKeyFile=${encodeURIComponent(path)}`,
      }),
    ],
  ])('%s', (setting, env) => {
    it.each(Object.entries({ ...KINDS, nothing: NOTHING }))(
      'names setting, path and reason: %s',
      async (_, [make, words]) => {
        const path = join(folder, 'file');
        make(path);
        expect(await refusal(env(path))).toBe(
          `${setting}: ${path} must be a PEM file that the service can read, but ${words}`,
        );
      },
    );

    if (!setting.includes('CRL'))
      it('says what the file must hold', async () => {
        const path = join(folder, 'file');
        writeFileSync(path, '');
        expect(await refusal(env(path))).toBe(`${setting}: ${path} must hold a certificate in PEM`);
      });
  });

  it('a client certificate for EventStoreDB without its key', async () => {
    const said = await refusal({ EVENTSTORE_URL: 'esdb://127.0.0.1:9?tls=true&userCertFile=/x.pem' });
    expect(said).toBe('EVENTSTORE_URL must have both of the options userCertFile and userKeyFile, or none of them');
  });

  const inFolder = ['events.db', 'state.db', 'master.key', 'holdfast.json', 'operator.token', 'sandbox-gateway.jsonl'];
  it.each(inFolder.flatMap((name) => Object.keys(KINDS).map((kind) => [name, kind] as const)))(
    'the data folder’s %s: %s',
    async (name, kind) => {
      const path = join(folder, 'data', name);
      mkdirSync(join(folder, 'data'));
      const [make, words] = IN_FOLDER[kind] ?? NOTHING;
      make(path);
      const said = await refusal({});
      expect(said).toContain(`${path} must be a file that the service can read, but ${words}`);
      // The master key is opened only after the folder was looked at.
      if (name !== 'master.key') expect(said).toContain('(DATA_DIR)');
    },
  );

  it('the data folder’s lock.db: a folder', async () => {
    const path = join(folder, 'data', 'lock.db');
    mkdirSync(path, { recursive: true });
    expect(await refusal({})).toMatch(
      new RegExp(
        `^the data folder ${join(folder, 'data')} \\(DATA_DIR\\) cannot be locked: ${path} .*: delete it, or let this user`,
      ),
    );
  });

  it.each([16, 64])('a disk of %i KB, which is too small: the refusal names a file and says so', async (size) => {
    const disk = SmallDisk.mount(size / 1024);
    if (disk === undefined) return;
    const said = await refusal({ DATA_DIR: disk.path });
    disk.unmount();
    expect(said).toContain(disk.path);
    expect(said).toMatch(/there is no room|the disk is full: make room/);
  });
});
