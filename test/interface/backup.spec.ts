import { randomUUID } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { isFolderInUse, lockDataFolder } from '#adapters/embedded';
import { CopiedEmbeddedLog } from '#adapters/embedded/backup';
import { thisMachine } from '#adapters/machine';
import { Backup, BackupFolder, type BackupSource, FileSeal, type Manifest, type StateNews } from '#backup';
import type { Recorded } from '#kernel';
import { readFolder, runRestore } from '#platform';
import { filesOf, holdfast, plainly, type Ran, type RunningCommand, startHoldfast } from '../support/backups.js';
import { buy, reserve } from '../support/buying.js';
import { buyFull, cardOf, GOOD_CARD, personOf, storeCard } from '../support/cards.js';
import { eventsOf } from '../support/data-folder.js';
import {
  discardLeftovers,
  type Json,
  newDataDir,
  RunningService,
  type TestPartner,
} from '../support/running-service.js';
import { freePort } from '../support/free-port.js';
import { Program } from '../support/program.js';
import { SmallDisk } from '../support/small-disk.js';
import { tempFolder } from '../support/temp-folder.js';

/** The folder of a backup, and what was sold before and after it. */
interface BackedUp {
  readonly service: RunningService;
  readonly partner: TestPartner;
  readonly user: string;
  readonly backup: string;
}

/** Answers hold addresses: both services have the same. */
const PUBLIC = { PUBLIC_URL: 'https://deals.example.com' };

const folder = tempFolder();
let made: BackedUp;
/** A purchase before the backup, and its answer; a request after it. */
let before: { readonly key: string; readonly body: Json };
let after: { readonly key: string; readonly body: Json };
const events: Recorded[] = [];

const inFolder = (name: string): string => join(folder.path, name);
const environment = (service: RunningService, dataDir = service.dataDir) => ({
  DATA_DIR: dataDir,
  HOLDFAST_URL: service.url,
});

/** Buys under an Idempotency-Key. */
async function buyOnce({ service, partner, user }: BackedUp, key: string): Promise<Json> {
  const { id } = await reserve(service, partner.key, 'tram', 1);
  const headers = { 'idempotency-key': key };
  const answer = await service.ask('PUT', `/purchases/${id}/claim`, {
    key: partner.key,
    body: { user_id: user },
    headers,
  });
  return { id, ...answer.body };
}

// Whoever backs up or restores closes what they make from then on to others: later specs of this process do not.
const umask = process.umask(0o022);
afterAll(() => void process.umask(umask));

beforeAll(async () => {
  const service = await RunningService.start({ ownProcess: true, env: PUBLIC });
  const partner = await service.newPartner('acme');
  await service.newDeal('tram', { stock: 500, max_per_user: 200 });
  const user = await service.newUser(partner.key, 'grace@example.com');
  await storeCard(service, partner.key, user);
  made = { service, partner, user, backup: inFolder('backup') };
  const sold = await buyFull(service, partner, {
    user: personOf('ann@example.com'),
    credit_card: cardOf(GOOD_CARD),
    deal_id: 'tram',
    quantity: 1,
  });
  expect(sold.status).toBe(200);
  const key = randomUUID();
  before = { key, body: await buyOnce(made, key) };
  const first = await holdfast(['backup', made.backup], environment(service));
  expect(first).toMatchObject({ code: 0, err: expect.stringContaining('it holds the vault') });
  await buy(service, partner.key, 'tram', user);
  const second = await holdfast(['backup', made.backup], environment(service));
  expect(second).toMatchObject({ code: 0, out: expect.stringContaining('of them new') });
  events.push(...(await eventsOf(service.dataDir)));
  // The clock goes on far enough that an answer counts as younger than the copy.
  await service.forward(60);
  const later = randomUUID();
  after = { key: later, body: await buyOnce(made, later) };
});
afterAll(async () => {
  await made.service.discard();
  await discardLeftovers();
  folder.remove();
});

/** A copy of the backup, changed. */
function changed(name: string, change: (backup: string) => void): string {
  const copy = inFolder(name);
  rmSync(copy, { recursive: true, force: true });
  cpSync(made.backup, copy, { recursive: true });
  change(copy);
  return copy;
}

/** Restores into a new folder. */
async function restored(
  backup: string,
  args = plainly(made.service.dataDir),
  env = {},
): Promise<Ran & { dataDir: string }> {
  const dataDir = join(newDataDir(), 'data');
  const ran = await holdfast(['restore', backup, ...args], { DATA_DIR: dataDir, ...env });
  return { ...ran, dataDir };
}

/** Expects a refusal that names something, with nothing written. */
async function refused(backup: string, words: string, args?: readonly string[], env = {}): Promise<void> {
  const { code, err, dataDir } = await restored(backup, args, env);
  expect(err).toContain(words);
  expect(code).toBe(1);
  expect(existsSync(join(dataDir, 'events.db'))).toBe(false);
  expect(existsSync(join(dataDir, 'holdfast.json'))).toBe(false);
}

describe('G12.2: a backup of a running service', () => {
  it('has the log in segments that are added to, and a state for each run, readable by its owner only', () => {
    const names = filesOf(made.backup).map((file) =>
      file.slice(made.backup.length + 1).replaceAll(/\d{8}T\d{6}Z/g, '<at>'),
    );
    expect(names).toEqual([
      'backup.json',
      'log/00000001.ndjson.zst',
      'log/00000002.ndjson.zst',
      'states/<at>/erasures.jsonl',
      'states/<at>/state-1.ndjson.zst',
      'states/<at>/erasures.jsonl',
      'states/<at>/state-1.ndjson.zst',
    ]);
  });

  it('has neither views nor snapshots nor the master key', () => {
    const key = readFileSync(join(made.service.dataDir, 'master.key'), 'utf8').trim();
    for (const file of filesOf(made.backup)) {
      const bytes = readFileSync(file);
      expect(bytes.includes(key)).toBe(false);
      expect(bytes.includes(Buffer.from(key, 'hex'))).toBe(false);
    }
  });

  it('copies a stopped service, too', async () => {
    const { dataDir } = await restored(made.backup);
    const backup = inFolder('of-stopped');
    const ran = await holdfast(['backup', backup], { DATA_DIR: dataDir });
    expect(ran).toMatchObject({ code: 0 });
    expect(await restored(backup, plainly(dataDir))).toMatchObject({ code: 0 });
  });

  it('refuses a folder with other files, and places in the data folder', async () => {
    const foreign = inFolder('foreign');
    mkdirSync(join(foreign, 'log'), { recursive: true });
    writeFileSync(join(foreign, 'log/app.log'), 'x');
    const { dataDir } = made.service;
    const views = readdirSync(dataDir).toSorted();
    for (const [place, words] of [
      [foreign, 'is no backup (it has no backup.json), and holds other files (log)'],
      [dataDir, 'is the data folder itself (DATA_DIR): name a folder outside it'],
      [join(dataDir, 'views'), 'is in the data folder'],
    ] as const) {
      const ran = await holdfast(['backup', place], environment(made.service));
      expect(ran).toMatchObject({ code: 1, err: expect.stringContaining(words) });
    }
    expect(readdirSync(foreign)).toEqual(['log']);
    expect(readFileSync(join(foreign, 'log/app.log'), 'utf8')).toBe('x');
    expect(readdirSync(dataDir).toSorted()).toEqual(views);
  });

  it('refuses the folder of another installation, and one with another history', async () => {
    const other = await RunningService.start();
    const mixed = await holdfast(['backup', inFolder('mixed')], {
      ...environment(other),
      DATA_DIR: made.service.dataDir,
    });
    expect(mixed).toMatchObject({ code: 2, err: expect.stringContaining('does not accept this token') });
    const token = { OPERATOR_TOKEN: other.operatorToken };
    const keys = await holdfast(['backup', inFolder('mixed')], {
      ...environment(other, made.service.dataDir),
      ...token,
    });
    expect(keys).toMatchObject({ code: 1, err: expect.stringContaining('the keys are those of another installation') });
    const ran = await holdfast(['backup', made.backup], environment(other));
    await other.discard();
    expect(ran.err).toContain('is the backup of another installation');
    const { dataDir } = await restored(made.backup, [...plainly(made.service.dataDir), '--at', firstCopy()]);
    const again = await holdfast(['backup', changed('history', () => undefined)], { DATA_DIR: dataDir });
    expect(again.err).toContain('has another history than the log');
  });

  it('refuses a file in the place of a folder, and a folder in that of a key', async () => {
    const file = inFolder('a-file');
    writeFileSync(file, 'x');
    const place = await holdfast(['backup', file], environment(made.service));
    expect(place).toMatchObject({
      code: 1,
      err: expect.stringContaining(`${file} is a file, and a backup is a folder`),
    });
    const args = ['backup', inFolder('no-key'), '--key-file', folder.path];
    const key = await holdfast(args, environment(made.service));
    expect(key).toMatchObject({ code: 1, err: expect.stringContaining(`--key-file: ${folder.path} is a folder`) });
  });

  it('that has copied nothing leaves no folder', async () => {
    const place = inFolder('nothing');
    const ran = await holdfast(['backup', place], { ...environment(made.service), OPERATOR_TOKEN: 'wrong' });
    expect(ran.code).toBe(2);
    expect(existsSync(place)).toBe(false);
  });

  it('refuses the keys of a restored copy', async () => {
    const copy = await RunningService.start({ dataDir: (await restored(made.backup)).dataDir });
    const ran = await holdfast(['backup', inFolder('of-copy')], {
      ...environment(copy, made.service.dataDir),
      OPERATOR_TOKEN: copy.operatorToken,
    });
    await copy.discard();
    expect(ran).toMatchObject({ code: 1, err: expect.stringContaining('the keys are those of another log (') });
  });

  it('under a key is opened by that key alone', async () => {
    const [key, other] = ['a', 'b'].map((digit) => {
      writeFileSync(inFolder(`key-${digit}`), digit.repeat(64), { mode: 0o600 });
      return inFolder(`key-${digit}`);
    });
    const backup = inFolder('encrypted');
    const ran = await holdfast(['backup', backup, '--key-file', key ?? ''], environment(made.service));
    expect(ran).toMatchObject({ code: 0, err: '' });
    const args = plainly(made.service.dataDir);
    await refused(backup, 'is of an encrypted backup: name its key with --key-file', args);
    await refused(backup, 'was written with another key', [...args, '--key-file', other ?? '']);
    const wrong = await holdfast(['backup', backup, '--key-file', other ?? ''], environment(made.service));
    expect(wrong.err).toContain('was written with another key than that of --key-file: name its own key');
    expect(wrong.err).not.toContain('Restore from');
    writeFileSync(inFolder('open-key'), 'a'.repeat(64), { mode: 0o644 });
    await refused(backup, '--key-file: other users can read', [...args, '--key-file', inFolder('open-key')]);
    expect(await restored(backup, [...args, '--key-file', key ?? ''])).toMatchObject({ code: 0 });
  });
});

/** Names a copy of the backup otherwise: whoever took it mixed keys and log. */
function renamed(name: string, change: (manifest: Manifest) => Manifest): string {
  return changed(name, (backup) => {
    const folder = new BackupFolder(backup, FileSeal.with(undefined, thisMachine.randomness));
    const manifest = folder.manifest();
    if (manifest === undefined) throw new Error('the backup has no manifest');
    folder.name(change(manifest));
  });
}

describe('G12.2: a restore refuses keys that are not those of the log', () => {
  it('but of another installation', async () => {
    const backup = renamed('of-other', (manifest) => ({ ...manifest, installation: 'other' }));
    await refused(backup, 'has the keys of another installation (');
  });

  it('but of another log', async () => {
    const backup = renamed('of-other-log', (manifest) => ({
      ...manifest,
      copies: manifest.copies.map((copy) => ({ ...copy, log: 'other' })),
    }));
    await refused(backup, 'than its own (other)');
  });
});

/** The name of the oldest copy. */
function firstCopy(): string {
  return readdirSync(join(made.backup, 'states')).toSorted()[0] ?? '';
}

describe('G12.2: a backup that is not whole is refused by name', () => {
  it('with any byte flipped, in any of its files', async () => {
    const copies = readdirSync(join(made.backup, 'states')).toSorted();
    const needed = filesOf(made.backup).filter((file) => !file.includes(`/${copies[0] ?? ''}/`));
    expect(needed).toHaveLength(5);
    for (const file of needed) {
      const bytes = readFileSync(file);
      for (const at of [0, 1, bytes.length >> 1, bytes.length - 1]) {
        const copy = changed('flipped', (backup) => {
          const flipped = Buffer.from(bytes);
          flipped[at] = (flipped[at] ?? 0) ^ 1;
          writeFileSync(join(backup, file.slice(made.backup.length)), flipped);
        });
        await refused(copy, basename(file));
      }
    }
  });

  it.each([
    [
      'a segment is missing',
      (backup: string) => rmSync(join(backup, 'log/00000001.ndjson.zst')),
      '00000001.ndjson.zst is missing',
    ],
    [
      'a segment is cut off',
      (backup: string) => writeFileSync(join(backup, 'log/00000002.ndjson.zst'), ''),
      '00000002.ndjson.zst does not have its',
    ],
    [
      'two segments are swapped',
      (backup: string) => {
        renameSync(join(backup, 'log/00000001.ndjson.zst'), join(backup, 'log/x'));
        renameSync(join(backup, 'log/00000002.ndjson.zst'), join(backup, 'log/00000001.ndjson.zst'));
        renameSync(join(backup, 'log/x'), join(backup, 'log/00000002.ndjson.zst'));
      },
      '00000001.ndjson.zst',
    ],
    ['its manifest is missing', (backup: string) => rmSync(join(backup, 'backup.json')), 'backup.json is missing'],
    [
      'it has a newer format',
      (backup: string) => {
        const file = join(backup, 'backup.json');
        writeFileSync(file, readFileSync(file, 'utf8').replace('"format": 1', '"format": 2'));
      },
      'has the newer format 2',
    ],
  ])('if %s', async (_, change, words) => {
    await refused(changed('broken', change), words);
  });
});

describe('G12.2: a backup that is ordered over HTTP', () => {
  it('is refused by name without BACKUP_DIR', async () => {
    const { service } = made;
    const refusal = await service.ask('POST', '/operators/backup', { token: service.operatorToken });
    expect(refusal.status).toBe(422);
    expect(refusal.text).toContain('BACKUP_DIR is not set');
    expect((await service.operate('GET', '/backup')).backup).toBeNull();
  });

  it('goes into BACKUP_DIR alone, and is as whole as any other', async () => {
    const { dataDir } = await restored(made.backup);
    const backup = inFolder('ordered');
    const service = await RunningService.start({ dataDir, env: { ...PUBLIC, BACKUP_DIR: backup }, ownProcess: true });
    const wrong = await service.ask('POST', '/operators/backup', {
      token: service.operatorToken,
      body: { keep: '7 days' },
    });
    expect([wrong.status, wrong.body.errors]).toEqual([
      422,
      [expect.objectContaining({ field: 'keep', message: expect.stringMatching(/^must say how many/) })],
    ]);
    const begun = await service.operate('POST', '/backup', { keep: '7d' });
    expect(begun.backup).toMatchObject({ state: 'running', ended_at: null, failure: null });
    let last = begun.backup;
    while (last.state === 'running') {
      await pause(50);
      ({ backup: last } = await service.operate('GET', '/backup'));
    }
    expect(last).toMatchObject({ state: 'done', failure: null });
    expect(service.printed).toContain('it holds the vault');
    const all = await eventsOf(dataDir);
    expect(last.events).toBeLessThanOrEqual(all.length);
    await service.stop();
    expect((await eventsOf((await restored(backup)).dataDir)).length).toBe(last.events);
  });
});

describe('G12.2: a drill', () => {
  it('restores the newest copy elsewhere, compares it, and notes age and verdict in the backup', async () => {
    const backup = changed('drilled', () => undefined);
    const ran = await holdfast(['drill', backup, ...plainly(made.service.dataDir)], {});
    expect(ran).toMatchObject({ code: 0, out: expect.stringContaining('It is sound.') });
    const note = JSON.parse(readFileSync(join(backup, 'drill.json'), 'utf8'));
    expect(note).toMatchObject({ verdict: 'sound', events: events.length, findings: 0 });
    expect(note.age_seconds).toBeGreaterThanOrEqual(0);
    // The next run leaves the note.
    await holdfast(['backup', backup], environment(made.service));
    expect(existsSync(join(backup, 'drill.json'))).toBe(true);
  });

  it('names the missing file of erasures of the installation', async () => {
    const file = inFolder('missing.erasures');
    const [, , ...key] = plainly(made.service.dataDir);
    const ran = await holdfast(['drill', changed('no-file', () => undefined), ...key], { ERASURES_FILE: file });
    expect(ran).toMatchObject({ code: 1, err: expect.stringContaining(`${file}, the file of erasures, is missing`) });
    expect(ran.err).toContain('set ERASURES_FILE');
  });

  it('finds persons whose keys are missing, but not those whose keys are destroyed', async () => {
    const { dataDir } = await restored(made.backup);
    const database = new DatabaseSync(join(dataDir, 'state.db'));
    const lost = made.user;
    database.prepare('DELETE FROM person_keys WHERE person = ?').run(lost);
    database.prepare(`UPDATE person_keys SET wrapped = x'', destroyed = 1`).run();
    database.close();
    const backup = inFolder('keyless');
    expect(await holdfast(['backup', backup], { DATA_DIR: dataDir })).toMatchObject({ code: 0 });
    const ran = await holdfast(['drill', backup, ...plainly(dataDir)], {});
    expect(ran.out).toContain(`the key store: it never had a key of ${lost}, of whom the log has sealed data`);
    expect(ran.out).toContain(' 1 findings');
    expect(ran.code).toBe(1);
  });

  it('finds what contradicts itself, and what is not whole', async () => {
    const { dataDir } = await restored(made.backup);
    const database = new DatabaseSync(join(dataDir, 'events.db'));
    database.exec(
      `UPDATE events SET data = replace(data, '"quantity":1', '"quantity":2') WHERE type LIKE 'purchase-recorded.%'`,
    );
    database.close();
    const backup = inFolder('contradicts');
    await holdfast(['backup', backup], { DATA_DIR: dataDir });
    const ran = await holdfast(['drill', backup, ...plainly(dataDir)], {});
    expect(ran).toMatchObject({ code: 1, out: expect.stringContaining('the backup contradicts itself') });
    expect(readFileSync(join(backup, 'drill.json'), 'utf8')).toContain('"verdict":"findings"');
    rmSync(join(backup, 'log/00000001.ndjson.zst'));
    expect(await holdfast(['drill', backup, ...plainly(dataDir)], {})).toMatchObject({ code: 1 });
    expect(readFileSync(join(backup, 'drill.json'), 'utf8')).toContain('"verdict":"refused"');
  });
});

describe('G12.2: a backup that follows', () => {
  const untilPrinted = async (running: RunningCommand, stream: 'out' | 'err', words: string): Promise<void> => {
    while (!running.printed[stream].includes(words)) {
      if (running.child.exitCode !== null) throw new Error(running.printed.err);
      await pause(20);
    }
  };
  /** How many events the newest copy in a folder has, with those that follow it. */
  const restoredEvents = async (backup: string): Promise<number> => {
    const ran = await restored(backup);
    expect(ran).toMatchObject({ code: 0 });
    return (await eventsOf(ran.dataDir)).length;
  };

  it('ends at Ctrl-C, goes on after kill -9 and over a restart of the service, and is as whole as any other', async () => {
    const { dataDir } = await restored(made.backup);
    const port = String(await freePort());
    const env = { ...PUBLIC, PORT: port };
    let service = await RunningService.start({ dataDir, env, ownProcess: true });
    const backup = inFolder('followed');
    const follow = (): RunningCommand => startHoldfast(['backup', backup, '--follow'], environment(service));
    const sell = (): Promise<Json> => buy(service, made.partner.key, 'tram', made.user);

    let following = follow();
    await untilPrinted(following, 'out', 'It follows');
    await sell();
    const tail = (): Buffer => readFileSync(join(backup, 'tail', readdirSync(join(backup, 'tail'))[0] ?? ''));
    while (!existsSync(join(backup, 'tail')) || tail().length < 600) await pause(20);
    // Flipped bytes and a missing file of what follows are refused, too; a last block that is cut off is not.
    const copy = inFolder('followed-copy');
    for (const at of [0, 300, 255]) {
      cpSync(backup, copy, { recursive: true });
      const file = join(copy, 'tail', readdirSync(join(copy, 'tail'))[0] ?? '');
      const bytes = readFileSync(file);
      bytes[at] = (bytes[at] ?? 0) ^ 1;
      writeFileSync(file, bytes);
      await refused(copy, '.blocks is damaged at its block 1');
      rmSync(file);
      await refused(copy, '.blocks is missing');
      rmSync(copy, { recursive: true });
    }
    following.child.kill('SIGKILL');
    await following.ended;
    const first = await restoredEvents(backup);

    following = follow();
    await untilPrinted(following, 'out', 'It follows');
    await service.stop();
    await untilPrinted(following, 'err', 'waits for it');
    service = await RunningService.start({ dataDir, env, ownProcess: true });
    // The new copy takes the place of the one that was followed: nobody asked for --keep.
    while (following.printed.out.split('It follows').length < 3) await pause(20);
    expect(following.printed.out).not.toContain('--keep');
    await sell();
    const all = await eventsOf(dataDir);
    expect(all.length).toBeGreaterThan(first);
    while ((await restoredEvents(backup)) < all.length) await pause(100);
    following.child.kill('SIGINT');
    expect(await following.ended).toMatchObject({ code: 0 });
    expect(existsSync(join(backup, 'tail')) ? readdirSync(join(backup, 'tail')) : []).toEqual([]);
    expect(await eventsOf((await restored(backup)).dataDir)).toEqual(all);
    await service.discard();
  });
});

describe('G12.2: a data folder into which a restore writes', () => {
  /** Restores within this process. @param step is called once, when it has begun to write */
  async function restoring(dataDir: string, step: () => void): Promise<unknown> {
    let called = false;
    const progress = ({ what }: { readonly what: string }): void => {
      if (called || what === 'checks') return;
      called = true;
      step();
    };
    const order = {
      backup: made.backup,
      erasures: 'none',
      masterKeyFile: join(made.service.dataDir, 'master.key'),
    };
    const ended = await runRestore({ DATA_DIR: dataDir }, order, {
      signal: new AbortController().signal,
      progress,
    }).catch((error: unknown) => error);
    expect(called).toBe(true);
    return ended;
  }

  /** The output of a start that fails. */
  async function refusedStart(dataDir: string): Promise<string> {
    const program = Program.startInHost('apps/api/main.js', { PORT: '0', DATA_DIR: dataDir, DEMO: 'false' });
    expect(await program.ended()).toBe(1);
    return program.printed;
  }

  /** What `holdfast doctor` says of the files and of the service, with its exit code. */
  async function doctorOf(dataDir: string): Promise<unknown> {
    const { code, out } = await holdfast(['doctor', '--json'], { DATA_DIR: dataDir });
    const { checks } = JSON.parse(out) as { readonly checks: readonly Record<string, unknown>[] };
    const of = (name: string): unknown => checks.find(({ check }) => check === name);
    return { code, files: of('files'), service: of('service') };
  }

  it('is taken: a start, another restore, the doctor and a command that reads the folder say that a restore works there', async () => {
    const dataDir = join(newDataDir(), 'data');
    const words = `a restore works in the data folder ${dataDir} (DATA_DIR): wait until it has ended`;
    const taken = lockDataFolder(dataDir);
    writeFileSync(join(dataDir, 'restore.restoring.tmp'), '');
    const before = readdirSync(dataDir);
    expect(await refusedStart(dataDir)).toContain(words);
    const env = { DATA_DIR: dataDir };
    const second = await holdfast(['restore', made.backup, ...plainly(made.service.dataDir)], env);
    expect(second).toMatchObject({ code: 1, err: expect.stringContaining(words) });
    const waiting = { tell: () => undefined, interrupted: new AbortController().signal };
    await expect(readFolder(env, waiting)).rejects.toThrow(words);
    expect(await doctorOf(dataDir)).toMatchObject({
      files: { verdict: 'look', facts: words },
      service: { verdict: 'look' },
    });
    expect(readdirSync(dataDir)).toEqual(before);
    taken.release();
  });

  it('is taken from before the backup is checked until the end', async () => {
    const dataDir = join(newDataDir(), 'data');
    const seen: unknown[] = [];
    const look = ({ what }: { readonly what: string }): void => {
      if (what === 'checks' || what === 'state')
        seen.push([what, isFolderInUse(dataDir), readdirSync(dataDir).length > 1]);
    };
    const order = { backup: made.backup, erasures: 'none', masterKeyFile: join(made.service.dataDir, 'master.key') };
    await runRestore({ DATA_DIR: dataDir }, order, { signal: new AbortController().signal, progress: look });
    expect(seen).toContainEqual(['checks', true, true]);
    expect(seen).toContainEqual(['state', true, true]);
    expect(seen.filter((each) => !(each as boolean[])[1])).toEqual([]);
    expect(isFolderInUse(dataDir)).toBe(false);
    expect(readdirSync(dataDir).filter((name) => name.includes('restor'))).toEqual([]);
  });

  it('keeps what somebody puts there meanwhile: the restore ends without anything', async () => {
    const dataDir = join(newDataDir(), 'data');
    const ended = await restoring(dataDir, () => writeFileSync(join(dataDir, 'events.db'), 'theirs'));
    expect(String(ended)).toContain('is not empty (events.db)');
    expect(readdirSync(dataDir).toSorted()).toEqual(['events.db', 'lock.db']);
    expect(readFileSync(join(dataDir, 'events.db'), 'utf8')).toBe('theirs');
  });

  /** Erasures of this installation, in a file. */
  function erasuresIn(file: string): string {
    const { installation } = JSON.parse(readFileSync(join(made.service.dataDir, 'holdfast.json'), 'utf8')) as {
      readonly installation: string;
    };
    writeFileSync(
      file,
      `{"holdfast":"erasures","format":1,"installation":"${installation}"}\n{"number":1,"person":"p1","at":"2026-11-28T22:00:00Z","position":"7"}\n`,
    );
    return file;
  }

  const probe = SmallDisk.mount(1);
  probe?.unmount();
  const withDisk = probe === undefined ? it.skip : it;
  withDisk('is named, with what to do, if its disk is full, and keeps nothing', async () => {
    const disk = SmallDisk.mount(8);
    if (disk === undefined) return;
    const dataDir = join(disk.path, 'data');
    const args = ['--erasures', erasuresIn(inFolder('of-full')), ...plainly(made.service.dataDir).slice(2)];
    try {
      disk.fill(64 * 1_024);
      const ran = await holdfast(['restore', made.backup, ...args], { DATA_DIR: dataDir });
      expect(ran).toMatchObject({ code: 1, out: '' });
      expect(ran.err).toContain(
        `the disk of ${dataDir} has no room for the backup: make room there, then restore again`,
      );
      expect(readdirSync(disk.path).toSorted()).toEqual(['data', 'filler']);
      expect(readdirSync(dataDir).filter((name) => !name.startsWith('lock.db'))).toEqual([]);
      disk.empty();
      expect(await holdfast(['restore', made.backup, ...args], { DATA_DIR: dataDir })).toMatchObject({ code: 0 });
      expect(existsSync(`${dataDir}.erasures`)).toBe(true);
    } finally {
      disk.unmount();
    }
  });

  it.each([['cannot be written', 'of.erasures', 'of.erasures.tmp']])(
    'keeps nothing if the file of erasures %s, and no file of erasures either',
    async (_, file, named) => {
      const parent = newDataDir();
      const [dataDir, ERASURES_FILE] = [join(parent, 'data'), join(parent, file)];
      mkdirSync(join(parent, 'of.erasures.tmp'));
      const masterKeyFile = join(made.service.dataDir, 'master.key');
      const order = { backup: made.backup, erasures: erasuresIn(inFolder('of-folder')), masterKeyFile };
      const hearer = { signal: new AbortController().signal, progress: () => undefined };
      await expect(runRestore({ DATA_DIR: dataDir, ERASURES_FILE }, order, hearer)).rejects.toThrow(
        `${join(parent, named)} cannot be written`,
      );
      expect(existsSync(ERASURES_FILE)).toBe(false);
      expect(readdirSync(dataDir).filter((name) => /^(events|state)|^holdfast.json$|restor/.test(name))).toEqual([]);
    },
  );

  it('takes no file of erasures in the data folder, and makes nothing', async () => {
    const dataDir = join(newDataDir(), 'data');
    const order = { backup: made.backup, erasures: 'none', masterKeyFile: join(made.service.dataDir, 'master.key') };
    const hearer = { signal: new AbortController().signal, progress: () => undefined };
    const within = { DATA_DIR: dataDir, ERASURES_FILE: join(dataDir, 'erasures') };
    const restoring = async (): Promise<unknown> => runRestore(within, order, hearer);
    await expect(restoring()).rejects.toThrow('ERASURES_FILE must be outside DATA_DIR');
    expect(existsSync(dataDir)).toBe(false);
  });

  it.each(['log', 'naming'])(
    'is refused to a start after a restore was killed (%s), and the next restore works',
    async (when) => {
      const dataDir = join(newDataDir(), 'data');
      let left: Readonly<Record<string, Buffer>> = {};
      await restoring(dataDir, () => (left = contentOf(dataDir)));
      const finished = contentOf(dataDir);
      rmSync(dataDir, { recursive: true });
      mkdirSync(dataDir);
      if (when === 'naming') {
        const names = ['events.db', 'state.db', 'sandbox-gateway.jsonl', 'master.key'];
        left = {
          ...Object.fromEntries(names.map((name) => [name, finished[name] ?? Buffer.of()])),
          'restored.restoring.tmp': Buffer.of(),
        };
      }
      for (const [name, bytes] of Object.entries(left)) writeFileSync(join(dataDir, name), bytes);
      const before = contentOf(dataDir);
      const said = await refusedStart(dataDir);
      // One that was cut off before it could say what it is says only what to do.
      const what =
        when === 'log'
          ? String.raw`the newest copy in the backup ${made.backup}, begun at \S+Z\. Run it again \(holdfast restore ${made.backup} …\)`
          : String.raw`run it again \(holdfast restore …\)`;
      const unfinished = new RegExp(
        String.raw`a restore of the data folder ${dataDir} \(DATA_DIR\) was not finished: ${what}, or, to begin a new installation, delete ${dataDir}/`,
      );
      expect(said).toMatch(unfinished);
      const named = when === 'log' ? 'events.db.restoring.tmp' : 'state.db';
      expect(said).toContain(join(dataDir, named));
      expect(await doctorOf(dataDir)).toMatchObject({
        code: 1,
        files: {
          verdict: 'wrong',
          facts: expect.stringMatching(unfinished),
          todo: [expect.stringContaining('run again, first removes what this one has left')],
        },
      });
      expect(contentOf(dataDir)).toEqual(before);
      const env = { DATA_DIR: dataDir };
      expect(await holdfast(['restore', made.backup, ...plainly(made.service.dataDir)], env)).toMatchObject({
        code: 0,
      });
      expect(readdirSync(dataDir).filter((name) => name.includes('restor'))).toEqual([]);
      expect(await eventsOf(dataDir)).toEqual(events);
    },
  );
});

/** The content of the files of a data folder. */
function contentOf(dataDir: string): Record<string, Buffer> {
  const names = readdirSync(dataDir).filter((name) => !name.startsWith('lock.db'));
  return Object.fromEntries(names.map((name) => [name, readFileSync(join(dataDir, name))]));
}

describe('G12.2: a backup into a folder that is none', () => {
  it.each([
    ['with files of others', ['log/app.log', 'states/x', 'tail/y'], 'log, states, tail'],
    ['with a file', ['notes'], 'notes'],
    ['with a folder', ['src/main.ts'], 'src'],
  ])('%s is refused, and leaves everything as it is', async (_, files, named) => {
    const folder = newDataDir();
    for (const file of files) {
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      writeFileSync(join(folder, file), 'precious');
    }
    const ran = await holdfast(['backup', folder], environment(made.service));
    expect(ran).toMatchObject({ code: 1, err: expect.stringContaining(`and holds other files (${named})`) });
    for (const file of files) expect(readFileSync(join(folder, file), 'utf8')).toBe('precious');
  });

  it('or is in the data folder is refused', async () => {
    const { dataDir } = made.service;
    for (const folder of [dataDir, join(dataDir, 'backups')]) {
      const ran = await holdfast(['backup', folder], environment(made.service));
      expect(ran).toMatchObject({
        code: 1,
        err: expect.stringMatching(/is (in the data folder|the data folder itself)/),
      });
    }
    expect(existsSync(join(dataDir, 'backups'))).toBe(false);
  });
});

describe('H10: a restore', () => {
  it('of an older state asks for the erasures that the newest one knows', async () => {
    const backup = inFolder('two-states');
    const file = inFolder('two-states.erasures');
    const { installation } = JSON.parse(readFileSync(join(made.service.dataDir, 'holdfast.json'), 'utf8'));
    const head = `{"holdfast":"erasures","format":1,"installation":"${installation}"}\n`;
    writeFileSync(file, head);
    const env = { ...environment(made.service), ERASURES_FILE: file };
    expect((await holdfast(['backup', backup], env)).code).toBe(0);
    writeFileSync(file, `${head}{"number":1,"person":"p1","at":"2026-11-28T22:00:00Z","position":"7"}\n`);
    expect((await holdfast(['backup', backup], env)).code).toBe(0);
    const [older = ''] = readdirSync(join(backup, 'states')).toSorted();
    const key = ['--master-key-file', join(made.service.dataDir, 'master.key'), '--at', older];
    writeFileSync(file, head);
    await refused(backup, 'lacks the erasure 1', [...key, '--erasures', file]);
    await refused(backup, 'the backup itself knows 1 erasures', [...key, '--erasures', 'none']);
    const taken = await restored(backup, [...key, '--erasures', 'backup']);
    expect(taken).toMatchObject({ code: 0, out: expect.stringContaining('applies 1 erasures') });
  });

  it('asks for the erasures that came after the backup', async () => {
    const key = ['--master-key-file', join(made.service.dataDir, 'master.key')];
    await refused(made.backup, '.erasures, the file of erasures, is missing', key);
    const file = inFolder('erasures');
    writeFileSync(file, '{"holdfast":"erasures","format":1,"installation":"another"}\n');
    await refused(made.backup, 'is the file of erasures of another installation', [...key, '--erasures', file]);
    const installation: string = JSON.parse(
      readFileSync(join(made.service.dataDir, 'holdfast.json'), 'utf8'),
    ).installation;
    const head = `{"holdfast":"erasures","format":1,"installation":"${installation}"}\n`;
    const line = (n: number): string => `{"number":${n},"person":"p${n}","at":"2026-11-28T22:00:00Z","position":"7"}\n`;
    writeFileSync(file, head + line(1));
    const ran = await restored(made.backup, [...key, '--erasures', file]);
    expect(ran).toMatchObject({ code: 0, out: expect.stringContaining('applies 1 erasures') });
    expect(readFileSync(`${ran.dataDir}.erasures`, 'utf8')).toBe(head + line(1));
    // A backup that knows an erasure needs a file that has it.
    const backup = inFolder('with-erasures');
    await holdfast(['backup', backup], { ...environment(made.service), ERASURES_FILE: file });
    writeFileSync(file, head);
    await refused(backup, 'lacks the erasure 1', [...key, '--erasures', file]);
    await refused(backup, 'the backup itself knows 1 erasures', [...key, '--erasures', 'none']);
    expect(await restored(backup, [...key, '--erasures', 'backup'])).toMatchObject({
      code: 0,
      out: expect.stringContaining('applies 1 erasures'),
    });
    // An older copy needs what the newest one knows: otherwise whoever was erased between them comes back.
    const older = changed('older', () => undefined);
    writeFileSync(file, head + line(1));
    await holdfast(['backup', older], { ...environment(made.service), ERASURES_FILE: file });
    writeFileSync(file, head);
    const first = ['--at', firstCopy()];
    await refused(older, 'lacks the erasure 1', [...key, ...first, '--erasures', file]);
    await refused(older, 'the backup itself knows 1 erasures', [...key, ...first, '--erasures', 'none']);
    expect(await restored(older, [...key, ...first, '--erasures', 'backup'])).toMatchObject({
      code: 0,
      out: expect.stringContaining('applies 1 erasures'),
    });
    const again = await holdfast(['backup', backup], { ...environment(made.service), ERASURES_FILE: file });
    expect(again.err).toContain('lacks the erasure 1, which an earlier copy');
  });

  it('needs the master key of the installation', async () => {
    const none = ['--erasures', 'none'];
    await refused(made.backup, 'the master key of the installation is needed', none);
    await refused(made.backup, 'MASTER_KEY is not the master key of this backup', none, {
      MASTER_KEY: 'ab'.repeat(32),
    });
  });

  it('writes only into an empty folder', async () => {
    const dataDir = newDataDir();
    writeFileSync(join(dataDir, 'notes'), '');
    const ran = await holdfast(['restore', made.backup, ...plainly(made.service.dataDir)], { DATA_DIR: dataDir });
    expect(ran).toMatchObject({ code: 1, err: expect.stringContaining('is not empty (notes)') });
    expect(readdirSync(dataDir)).toEqual(['notes']);
  });

  it('gives the log event for event, and a service that sells, repeats what it has and sells what it lost again', async () => {
    const { out, dataDir, code } = await restored(made.backup);
    expect(code).toBe(0);
    expect(await eventsOf(dataDir)).toEqual(events);
    expect(out).toContain(`Restored ${events.length} events`);
    const service = await RunningService.start({ dataDir, env: PUBLIC });
    const again = async (id: string, key: string) =>
      service.ask('PUT', `/purchases/${id}/claim`, {
        key: made.partner.key,
        body: { user_id: made.user },
        headers: { 'idempotency-key': key },
      });
    const { id, ...answer } = before.body;
    expect((await again(id, before.key)).body).toEqual(answer);
    expect((await again(after.body.id, after.key)).status).toBe(404);
    const verified = await service.ask('GET', '/auditors/verification', { token: service.auditorToken });
    expect(verified.text).toContain('"findings":0');
    expect((await buy(service, made.partner.key, 'tram', made.user)).id).toBeDefined();
    await service.discard();
  });

  it('drops answers that are younger than the log, and names the sales that partners know and the log does not', async () => {
    const { service } = made;
    // A backup whose log ends before the last sale, and whose state has the answer to it.
    const end = events.at(-1)?.position ?? 0n;
    const log = CopiedEmbeddedLog.open(join(service.dataDir, 'events.db'), true);
    log.head = () => Promise.resolve(end);
    const ledger = readFileSync(join(service.dataDir, 'sandbox-gateway.jsonl'), 'utf8');
    const source: BackupSource = {
      log,
      async *state() {
        const { text } = await service.ask('GET', '/operators/backup/state', { token: service.operatorToken });
        for (const line of text.trim().split('\n')) {
          if (line.startsWith('{"end"')) return;
          const news = JSON.parse(line) as StateNews;
          yield 'upto' in news ? { upto: end.toString() } : news;
        }
      },
      ledger: () => ({ lines: ledger.split('\n').slice(0, -1), end: ledger.length }),
      erasuresFile: inFolder('no-erasures'),
    };
    const installation = (await log.owner())?.installation ?? '';
    const options = {
      installation,
      signal: new AbortController().signal,
      time: thisMachine.time,
      progress: () => undefined,
    };
    const backup = inFolder('younger');
    const seal = FileSeal.with(undefined, thisMachine.randomness);
    await (await Backup.open(new BackupFolder(backup, seal), source, options)).once();
    await log.close();
    const { out, dataDir } = await restored(backup);
    expect(out).toMatch(/\d+ kept answers were younger than the log/);
    expect(out).toContain(`These purchases were confirmed to partners, and are gone:\n  ${after.body.purchase.id}`);
    const again = await RunningService.start({ dataDir, env: { ...PUBLIC } });
    const claimed = await again.ask('PUT', `/purchases/${after.body.id}/claim`, {
      key: made.partner.key,
      body: { user_id: made.user },
      headers: { 'idempotency-key': after.key },
    });
    expect(claimed.status).toBe(404);
    await again.discard();
  });
});
