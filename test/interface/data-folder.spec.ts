import { createHash } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readLedger } from '#adapters/sandbox-gateway';
import { FORMAT } from '#eventsourcing';
import { PUT_BACK } from '#files';
import { buyFull, cardOf, GOOD_CARD } from '../support/cards.js';
import { copyOf, eventsOf, notedIn, viewRowsOf } from '../support/data-folder.js';
import { describeOnEmbedded } from '../support/on-embedded.js';
import { Program } from '../support/program.js';
import { RefusedStarts } from '../support/refused-starts.js';
import { discardLeftovers, newDataDir, RunningService } from '../support/running-service.js';

/** At one address: another one is another form of answers, which the log notes. */
const ENV = {
  ARGON2_MEMORY: '64',
  ARGON2_TIME: '1',
  TEST_CLOCK: 'true',
  DEMO: 'false',
  PUBLIC_URL: 'https://deals.example',
};

/** Files without data that a running or killed process has: our lock, and SQLite's shared memory. */
const NO_DATA = /^lock\.db|-shm$/;

/** Every file below a folder, by its path, with its mode and a hash of its bytes. */
function filesIn(folder: string): Record<string, string> {
  const found = readdirSync(folder, { recursive: true, withFileTypes: true }).filter(({ name }) => !NO_DATA.test(name));
  const entries = found.map((entry) => {
    const path = join(entry.parentPath, entry.name);
    const { mode } = statSync(path);
    const content = entry.isDirectory() ? '' : createHash('sha256').update(readFileSync(path)).digest('hex');
    return [path.slice(folder.length + 1), `${mode.toString(8)} ${content}`] as const;
  });
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** The output of a start that fails. */
async function refused(dataDir: string, env: Readonly<Record<string, string>> = {}): Promise<string> {
  const program = Program.startInHost('apps/api/main.js', { PORT: '0', DATA_DIR: dataDir, ...ENV, ...env });
  const code = await program.ended();
  expect(code).toBe(1);
  return program.printed;
}

/** The output of a start that fails and writes nothing. */
async function untouched(dataDir: string, start: () => Promise<string>): Promise<string> {
  const before = filesIn(dataDir);
  const output = await start();
  expect(filesIn(dataDir)).toEqual(before);
  return output;
}

/** The one line of a start that fails and writes nothing. */
async function refusedUntouched(dataDir: string, env: Readonly<Record<string, string>> = {}): Promise<string> {
  const output = await untouched(dataDir, () => refused(dataDir, env));
  expect(output).toMatch(/^Holdfast did not start: .*\n$/);
  return output;
}

const starts = new RefusedStarts();
afterAll(() => starts.end());

/** The same for the rows of a table: their starts are in one process. */
async function refusedUntouchedToo(dataDir: string): Promise<string> {
  const output = await untouched(dataDir, () => starts.saidIn({ PORT: '0', DATA_DIR: dataDir, ...ENV }));
  expect(output).not.toContain('\n');
  return output;
}

const codesIn = (output: string): string =>
  [...output.matchAll(/ACCEPT=([0-9a-f]{12})/g)].map(([, code]) => code).join(',');

describeOnEmbedded('a data folder that is not whole', () => {
  /** A shop after its first run and after its second; and another shop. */
  let [first, whole, other] = ['', '', ''];
  /** The folder during the second run. */
  let amid = '';

  async function run(dataDir: string, slug: string, between?: () => Promise<void>): Promise<void> {
    const service = await RunningService.start({ dataDir, env: ENV });
    const partner = await service.newPartner(slug);
    await service.newDeal(slug, { stock: 10 });
    const user_id = await service.newUser(partner.key, `${slug}@example.org`);
    await between?.();
    const bought = await buyFull(service, partner, {
      deal_id: slug,
      quantity: 1,
      user: { email: `${slug}-2@example.org`, password: 'a long password', password_confirmation: 'a long password' },
      credit_card: cardOf(GOOD_CARD),
    });
    expect([bought.status, user_id.length]).toEqual([200, 32]);
    await service.stop();
  }

  beforeAll(async () => {
    const dataDir = newDataDir();
    await run(dataDir, 'acme');
    first = copyOf(dataDir);
    await run(dataDir, 'beta', async () => {
      const head = (await eventsOf(dataDir)).at(-1)?.position ?? 0n;
      while (BigInt(notedIn(dataDir, 'mark')?.position ?? 0) < head) await pause(20);
      amid = copyOf(dataDir);
    });
    whole = dataDir;
    other = newDataDir();
    await run(other, 'acme');
  });
  afterAll(discardLeftovers);

  const without = (name: string): string => {
    const copy = copyOf(whole);
    rmSync(join(copy, name));
    return copy;
  };
  const withContent = (name: string, change: (content: Buffer) => Buffer): string => {
    const copy = copyOf(whole);
    writeFileSync(join(copy, name), change(readFileSync(join(copy, name))));
    return copy;
  };
  const withFileOf = (from: string, name: string): string => {
    const copy = copyOf(whole);
    copyFileSync(join(from, name), join(copy, name));
    return copy;
  };

  it('has a manifest that names its parts', () => {
    const manifest = JSON.parse(readFileSync(join(whole, 'holdfast.json'), 'utf8')) as object;
    expect(manifest).toEqual({
      format: FORMAT,
      installation: expect.stringMatching(/^[0-9a-f-]{36}$/),
      log: expect.stringMatching(/^[0-9a-f-]{36}$/),
      ledger: expect.stringMatching(/^[0-9a-f-]{36}$/),
      starts: 2,
      files: ['events.db', 'state.db', 'master.key', 'sandbox-gateway.jsonl'],
      at: whole,
    });
  });

  it('says where it was when it was started somewhere else last, once: it may be a copy', async () => {
    const copy = copyOf(whole);
    const start = async (): Promise<string> => {
      const service = await RunningService.start({ dataDir: copy, env: ENV });
      await service.stop();
      return service.printed;
    };
    const words = `the data folder ${copy} was at ${whole} at its last start. A folder is still there.`;
    expect(await start()).toContain(words);
    expect(await start()).not.toContain(words);
  });

  it.each([
    ['events.db', 'events.db is missing: put it back'],
    ['state.db', 'state.db is missing: put it back'],
    ['master.key', 'master.key is missing, and MASTER_KEY is not set: put it back'],
    ['sandbox-gateway.jsonl', 'sandbox-gateway.jsonl is missing: put it back'],
    ['holdfast.json', 'holdfast.json is missing'],
  ])('without %s is refused by name and left untouched', async (name, words) => {
    const output = await refusedUntouchedToo(without(name));
    expect(output).toContain('is not whole, and was left as it is');
    expect(output).toContain(words);
    expect(output).toContain(PUT_BACK);
  });

  it.each([
    ['events.db', 'events.db is empty'],
    ['state.db', 'state.db is empty'],
    ['master.key', 'master.key does not hold a master key'],
    ['sandbox-gateway.jsonl', 'sandbox-gateway.jsonl is cut off, or older than the rest'],
    ['holdfast.json', 'holdfast.json is damaged: put it back'],
    ['operator.token', 'operator.token holds no token'],
  ])('with an empty %s is refused by name and left untouched', async (name, words) => {
    const message = await refusedUntouchedToo(withContent(name, () => Buffer.alloc(0)));
    expect(message).toContain(words);
    // A token can be made anew.
    expect(message).toContain(name === 'operator.token' ? 'put it back from a backup, or delete it' : PUT_BACK);
  });

  it.each([
    ['events.db', 'events.db is damaged or cannot be read'],
    ['state.db', 'state.db is damaged or no SQLite file'],
    ['master.key', 'master.key does not hold a master key'],
    ['sandbox-gateway.jsonl', 'sandbox-gateway.jsonl is cut off, or older than the rest'],
    ['holdfast.json', 'holdfast.json is damaged: put it back'],
  ])('with half of %s is refused by name and left untouched', async (name, words) => {
    const half = (content: Buffer): Buffer => content.subarray(0, content.length >> 1);
    const message = await refusedUntouchedToo(withContent(name, half));
    expect(message).toContain(words);
    expect(message).toContain(PUT_BACK);
  });

  it.each([
    ['events.db', 'events.db: This is another event log'],
    ['state.db', 'state.db was written with another MASTER_KEY'],
    ['master.key', 'state.db was written with another MASTER_KEY'],
    ['sandbox-gateway.jsonl', 'sandbox-gateway.jsonl is the ledger of another installation'],
    ['holdfast.json', 'holdfast.json belongs to another installation than the other files'],
  ])('with the %s of another folder is refused by name and left untouched', async (name, words) => {
    expect(await refusedUntouchedToo(withFileOf(other, name))).toContain(words);
  });

  it('with keys and master key of another folder is refused by name and left untouched', async () => {
    const copy = withFileOf(other, 'state.db');
    copyFileSync(join(other, 'master.key'), join(copy, 'master.key'));
    expect(await refusedUntouched(copy)).toContain('state.db belongs to another installation than the other files');
  });

  it.each([
    ['events.db', 'events.db: The event log ends before the last event that this installation knows'],
    ['state.db', 'the key store is older than the rest of the folder (start 1 of 2)'],
    ['sandbox-gateway.jsonl', 'sandbox-gateway.jsonl is cut off, or older than the rest'],
    ['holdfast.json', 'holdfast.json is older than the rest of the folder (start 1 of 2)'],
  ])('with an older %s is refused by name and left untouched', async (name, words) => {
    expect(await refusedUntouchedToo(withFileOf(first, name))).toContain(words);
  });

  it('with a key store that was copied during the last run is refused by name and left untouched', async () => {
    const copy = copyOf(whole);
    for (const name of ['state.db', 'state.db-wal']) {
      if (existsSync(join(amid, name))) copyFileSync(join(amid, name), join(copy, name));
    }
    expect(await refusedUntouched(copy)).toContain('state.db: The key store is older than the event log');
  });

  it('of a killed process is also left untouched, with everything that its journals hold', async () => {
    const copy = copyOf(amid);
    rmSync(join(copy, 'master.key'));
    expect(readdirSync(copy)).toEqual(expect.arrayContaining(['events.db-wal', 'state.db-wal']));
    expect(await refusedUntouched(copy)).toContain('master.key is missing');
  });

  describe('of a killed process', () => {
    /** Another installation, whose process was killed too. */
    let otherAmid = '';
    beforeAll(async () => {
      otherAmid = newDataDir();
      const service = await RunningService.start({ dataDir: otherAmid, env: ENV });
      await service.newPartner('acme');
      await service.kill();
    });

    const cut = (copy: string, name: string, to: (size: number) => number): void => {
      const path = join(copy, name);
      truncateSync(path, to(statSync(path).size));
    };
    const half = (size: number): number => size >> 1;
    const take = (copy: string, ...names: string[]): void => names.forEach((name) => rmSync(join(copy, name)));
    const put = (copy: string, name: string): void => copyFileSync(join(otherAmid, name), join(copy, name));

    it.each<[string, (copy: string) => void, RegExp]>([
      ['half of events.db', (copy) => cut(copy, 'events.db', half), /events\.db is damaged .*its end is cut off/],
      [
        'half of events.db and no shared memory',
        (copy) => {
          cut(copy, 'events.db', half);
          take(copy, 'events.db-shm');
        },
        /events\.db is damaged .*its end is cut off/,
      ],
      ['half of state.db', (copy) => cut(copy, 'state.db', half), /state\.db is damaged .*its end is cut off/],
      [
        'half of the log’s journal',
        (copy) => cut(copy, 'events.db-wal', half),
        /the end of .*events\.db-wal is cut off/,
      ],
      [
        'half of the log’s journal and no shared memory',
        (copy) => {
          cut(copy, 'events.db-wal', half);
          take(copy, 'events.db-shm');
        },
        /events\.db: The event log ends before the last event that this installation knows/,
      ],
      [
        'an empty journal of the log',
        (copy) => cut(copy, 'events.db-wal', () => 0),
        /events\.db: The event log ends before the last event that this installation knows/,
      ],
      [
        'no journal of the log',
        (copy) => take(copy, 'events.db-wal'),
        /events\.db: The event log ends before the last event that this installation knows/,
      ],
      [
        'no journal of the keys',
        (copy) => take(copy, 'state.db-wal'),
        /the key store is older than the rest of the folder \(start 1 of 2\)/,
      ],
      ['the log’s journal of another folder', (copy) => put(copy, 'events.db-wal'), /events\.db/],
      [
        'the log’s journal of another folder, with its memory',
        (copy) => {
          put(copy, 'events.db-wal');
          put(copy, 'events.db-shm');
        },
        /events\.db/,
      ],
      ['the keys’ journal of another folder', (copy) => put(copy, 'state.db-wal'), /state\.db/],
    ])('with %s is refused by name and left untouched', async (_, change, words) => {
      const copy = copyOf(amid);
      change(copy);
      expect(await refusedUntouchedToo(copy)).toMatch(words);
    });

    it('is whole with only its journals: SQLite creates the shared memory again', async () => {
      const copy = copyOf(amid);
      rmSync(join(copy, 'events.db-shm'));
      const service = await RunningService.start({ dataDir: copy, env: ENV });
      expect((await service.health()).status).toBe(200);
      await service.discard();
    });
  });

  // The power failed, or somebody killed the service, before it had written its manifest for the first time.
  it('whose first start broke off before it had a manifest gets one', async () => {
    const copy = without('holdfast.json');
    const state = new DatabaseSync(join(copy, 'state.db'));
    const set = state.prepare("UPDATE facts SET value = ? WHERE name = 'folder'");
    expect(set.run(JSON.stringify({ starts: 2, settled: false })).changes).toBe(1);
    expect(await refusedUntouched(copy)).toContain('holdfast.json is missing');
    set.run(JSON.stringify({ starts: 1, settled: true }));
    expect(await refusedUntouched(copy)).toContain('holdfast.json is missing');
    set.run(JSON.stringify({ starts: 1, settled: false }));
    state.close();
    await (await RunningService.start({ dataDir: copy, env: ENV })).stop();
    expect(readdirSync(copy)).toContain('holdfast.json');
    await (await RunningService.start({ dataDir: copy, env: ENV })).discard();
  });

  it('works again when the missing file is back', async () => {
    const copy = without('events.db');
    await refusedUntouched(copy);
    copyFileSync(join(whole, 'events.db'), join(copy, 'events.db'));
    const service = await RunningService.start({ dataDir: copy, env: ENV });
    expect((await service.ask('GET', '/operators/projections', { token: service.operatorToken })).status).toBe(200);
    await service.discard();
  });

  describe('beside a file of erasures', () => {
    const LINE = '{"number":1,"person":"p1","at":"2026-11-28T22:00:00Z","position":"7"}\n';
    const head = (installation: string): string =>
      `{"holdfast":"erasures","format":1,"installation":"${installation}"}\n`;
    const WORDS =
      'This looks like a lost data folder: restore it (holdfast restore) or mount its disk; if that installation is gone for good, delete the file';
    const fileOf = (dataDir: string): string => `${dataDir}.erasures`;

    it('of a lost installation is not made: not even empty, and the file stays', async () => {
      const dataDir = join(newDataDir(), 'data');
      writeFileSync(fileOf(dataDir), head('lost') + LINE);
      const said = await refused(dataDir);
      expect(said).toMatch(/^Holdfast did not start: .*\n$/);
      expect(said).toContain(`${fileOf(dataDir)} (ERASURES_FILE) has erasures of an installation`);
      expect(said).toContain(WORDS);
      expect(existsSync(dataDir)).toBe(false);
      expect(readFileSync(fileOf(dataDir), 'utf8')).toBe(head('lost') + LINE);
      // An empty folder, as of a disk that is not mounted, stays empty.
      mkdirSync(dataDir);
      expect(await refusedUntouched(dataDir)).toContain(WORDS);
      expect(readdirSync(dataDir)).toEqual([]);
      // Nobody was erased: the file is replaced.
      writeFileSync(fileOf(dataDir), head('lost'));
      await (await RunningService.start({ dataDir, env: ENV })).stop();
    });

    it('of another installation is refused and left untouched; of its own it is whole', async () => {
      const copy = copyOf(whole);
      writeFileSync(fileOf(copy), head('another') + LINE);
      const said = await refusedUntouched(copy);
      expect(said).toContain(`has the erasures of another installation than the data folder ${copy}`);
      expect(said).toContain(WORDS);
      const { installation } = JSON.parse(readFileSync(join(copy, 'holdfast.json'), 'utf8')) as {
        readonly installation: string;
      };
      writeFileSync(fileOf(copy), head(installation) + LINE);
      await (await RunningService.start({ dataDir: copy, env: ENV })).stop();
    });

    it('is judged by its own files if the manifest is missing', async () => {
      const copy = without('holdfast.json');
      writeFileSync(fileOf(copy), head('any') + LINE);
      expect(await refusedUntouched(copy)).toContain('holdfast.json is missing');
    });
  });

  it('is accepted only with the code of its finding, when nothing better can be restored', async () => {
    const copy = without('sandbox-gateway.jsonl');
    const code = codesIn(await refusedUntouched(copy));
    expect(code).toMatch(/^[0-9a-f]{12}$/);
    expect(await refusedUntouched(copy, { ACCEPT: 'aaaaaaaaaaaa' })).toContain(`ACCEPT=${code}`);
    const service = await RunningService.start({ dataDir: copy, env: { ...ENV, ACCEPT: code } });
    await service.stop();
    expect(readLedger(join(copy, 'sandbox-gateway.jsonl'))).toEqual([]);
    // From now on this ledger is the right one.
    const again = await RunningService.start({ dataDir: copy, env: ENV });
    await again.discard();
  });

  it('with an older log works again once an operator accepts it with one code', async () => {
    const copy = withFileOf(first, 'events.db');
    const code = codesIn(await refusedUntouched(copy));
    const service = await RunningService.start({ dataDir: copy, env: { ...ENV, ACCEPT: code } });
    expect((await service.health()).status).toBe(200);
    await service.discard();
  });

  it('D10: is whole without its views, which are rebuilt', async () => {
    const copy = copyOf(whole);
    const rows = await viewRowsOf(copy);
    rmSync(join(copy, 'views'), { recursive: true });
    const service = await RunningService.start({ dataDir: copy, env: ENV });
    await service.stop();
    expect(await viewRowsOf(copy)).toEqual(rows);
    rmSync(copy, { recursive: true });
  });

  it('is refused by name and left untouched when the settings point elsewhere for its data', async () => {
    const server = { MONGODB_URL: 'mongodb://127.0.0.1:1/', EVENTSTORE_URL: 'esdb://127.0.0.1:1?tls=false' };
    expect(await refusedUntouched(whole, { MONGODB_URL: server.MONGODB_URL })).toContain(
      'MONGODB_URL is set, and state.db is the key store of this installation',
    );
    expect(await refusedUntouched(whole, { EVENTSTORE_URL: server.EVENTSTORE_URL })).toContain('EVENTSTORE_URL is set');
  });

  it.each([
    ['of the first format', '"format": 1', 'it has the format 1'],
    ['of a later format', '"format": "2"', 'it has the format 2'],
    ['without a format', '"written": true', 'it names no format'],
  ])('G9: of another build (%s) is refused by name and left untouched', async (_, format, words) => {
    const others = withContent('holdfast.json', (content) =>
      Buffer.from(content.toString().replace(`"format": "${FORMAT}"`, format)),
    );
    const said = await refusedUntouchedToo(others);
    expect(said).toContain(`the data folder ${others} (DATA_DIR) was written by another build of Holdfast: ${words}`);
    expect(said).toContain('Start the build that wrote it; or, if nothing in it is needed, delete the folder');
  });

  it.each([
    ['events.db', 3],
    ['state.db', 4],
  ])(
    'G9: without holdfast.json and with the %s of an earlier build is refused by name and left untouched',
    async (name, version) => {
      const copy = without('holdfast.json');
      const database = new DatabaseSync(join(copy, name));
      database.exec(`PRAGMA user_version=${version}; PRAGMA wal_checkpoint(TRUNCATE)`);
      database.close();
      expect(await refusedUntouchedToo(copy)).toContain(
        `${join(copy, name)} was written by another build of Holdfast: it has the format ${version}`,
      );
    },
  );

  it('has files that only their owner can read, even in a folder that others can open', async () => {
    const copy = copyOf(whole);
    for (const name of ['events.db', 'sandbox-gateway.jsonl']) chmodSync(join(copy, name), 0o644);
    chmodSync(join(copy, 'views'), 0o755);
    chmodSync(copy, 0o755);
    const service = await RunningService.start({ dataDir: copy, env: ENV });
    await service.newPartner('gamma');
    const mode = (name: string): number => statSync(join(copy, name)).mode & 0o077;
    const names = readdirSync(copy).filter((name) => !name.startsWith('lock.db'));
    expect(names).toEqual(expect.arrayContaining(['events.db-wal', 'events.db-shm']));
    expect(names.filter((name) => mode(name) !== 0)).toEqual([]);
    await service.discard();
  });
});
