import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import { thisMachine } from '#adapters/machine';
import type { Time } from '#eventsourcing';
import type { Position } from '#kernel';
import { tempFolder } from '../../test/support/temp-folder.js';
import { BackupFolder } from './backup-folder.js';
import { lockBackup } from './backup-lock.js';
import { refuseForeign, refuseWithin } from './backup-place.js';
import { eventLine, type EventColumns, type EventLine } from './event-line.js';
import { FileSeal } from './file-seal.js';
import { generationsIn } from './generations.js';
import { ReadBackup } from './read-backup.js';
import type { BackupSource } from './source.js';
import type { StateNews } from './state-copy.js';
import type { KeptLine } from './state-line.js';
import { readTail, TailWriter } from './tail.js';
import { Backup, type BackupOptions } from './take-backup.js';

const folder = tempFolder();
afterAll(() => folder.remove());

/** The time goes on by three seconds each time that it is asked for. */
function steppedTime(): Time {
  let now = Date.parse('2026-11-28T03:00:00Z');
  return { ...thisMachine.time, monotonic: () => (now += 3_000), wall: () => (now += 3_000) };
}

const line = (nth: number): EventLine =>
  eventLine({
    position: BigInt(nth),
    stream: `s-${nth}`,
    revision: 0,
    id: `id-${nth}`,
    type: 't.v1',
    time: nth,
    command_id: 'c',
    correlation: 'r',
    causation: null,
    actor: 'a',
    data: '{}',
  });

const secret = (name: string, sealed: string | null): StateNews => ({ kind: 'secret', name, sealed, key: 0 });

const entry = (name: string, text: string): StateNews => ({ kind: 'entry', name, text });
const mark = (identity: string): StateNews => entry('mark', `{"identity":"${identity}","position":"0"}`);
/** The entries that say whose keys they are. */
const OURS = [entry('installation', 'ours'), mark('log')];

/** A log with so many events, and a state that says what a spec lets it say. */
class Installation implements BackupSource {
  /** From where events were asked for. */
  readonly asked: bigint[] = [];
  /** What each run hears. */
  readonly news: (() => AsyncIterable<StateNews>)[] = [];
  ledgerLines: string[] = [];
  readonly erasuresFile = join(folder.path, 'erasures');

  constructor(public events: number) {}

  readonly log = {
    engine: 'embedded',
    identity: 'log',
    owner: () => Promise.resolve({ installation: 'ours', ledger: 'ledger' }),
    head: () => Promise.resolve(BigInt(this.events)),
    idAt: (position: Position) => Promise.resolve(position <= BigInt(this.events) ? `id-${position}` : undefined),
    countAfter: () => Promise.resolve(undefined),
    events: (after: Position, upTo: Position) => this.#events(after, upTo),
    close: () => Promise.resolve(),
  };

  state(): AsyncIterable<StateNews> {
    return (this.news.shift() ?? (() => this.whole()))();
  }

  ledger(after: number): { lines: readonly string[]; end: number } {
    return { lines: this.ledgerLines.slice(after), end: this.ledgerLines.length };
  }

  async *whole(...lines: readonly StateNews[]): AsyncGenerator<StateNews> {
    yield { whole: true };
    yield* OURS;
    yield* lines;
    yield { upto: String(this.events) };
  }

  async *#events(after: Position, upTo: Position): AsyncGenerator<readonly EventLine[]> {
    this.asked.push(after);
    for (let at = Number(after); at < Number(upTo); at += 2_000)
      yield Array.from({ length: Math.min(2_000, Number(upTo) - at) }, (_, nth) => line(at + nth + 1));
  }
}

/** A file of erasures. */
const head = '{"holdfast":"erasures","format":1,"installation":"ours"}\n';
const erasure = (number: number): string =>
  `{"number":${number},"person":"p","at":"2026-11-28T22:00:00Z","position":"1"}\n`;

let place: BackupFolder;
let made = 0;
beforeEach(() => {
  made += 1;
  rmSync(join(folder.path, 'erasures'), { force: true });
  place = new BackupFolder(join(folder.path, `backup-${made}`), FileSeal.with(undefined, thisMachine.randomness));
});

const options = (more: Partial<BackupOptions> = {}): BackupOptions => ({
  installation: 'ours',
  signal: new AbortController().signal,
  time: steppedTime(),
  progress: () => undefined,
  ...more,
});

async function read(): Promise<{ events: readonly EventColumns[]; kept: readonly KeptLine[]; backup: ReadBackup }> {
  const backup = await ReadBackup.open(place, undefined);
  const events: EventColumns[] = [];
  const kept: KeptLine[] = [];
  for await (const part of backup.eventParts()) events.push(...part);
  for await (const part of backup.keptParts()) kept.push(...part.filter(({ kind }) => kind !== 'entry'));
  return { events, kept, backup };
}

const positions = (count: number): readonly bigint[] => Array.from({ length: count }, (_, nth) => BigInt(nth + 1));

describe('G12.2: a run', () => {
  it('that breaks off leaves no copy, and the next one goes on where it has stopped', async () => {
    const source = new Installation(180_000);
    const stop = new AbortController();
    const progress = ({ done }: { readonly done: number }): void => {
      if (done > 120_000) stop.abort();
    };
    await expect(
      (await Backup.open(place, source, options({ signal: stop.signal, progress }))).once(),
    ).rejects.toThrow();
    await expect(ReadBackup.open(place, undefined)).rejects.toThrow('has no whole copy yet');
    writeFileSync(join(place.path, 'log/00000099.ndjson.zst.tmp'), 'half');
    const taken = await (await Backup.open(place, source, options())).once();
    expect(source.asked).toEqual([0n, 100_000n]);
    expect(taken).toMatchObject({ events: 80_000, inAll: 180_000 });
    expect(readdirSync(join(place.path, 'log'))).toHaveLength(4);
    expect((await read()).events.map(({ position }) => position)).toEqual(positions(180_000));
  });

  it('whose state breaks off leaves the copy of before', async () => {
    const source = new Installation(10);
    await (await Backup.open(place, source, options())).once();
    source.events = 20;
    source.news.push(async function* () {
      yield { whole: true };
      yield secret('a', 'AAAA');
    });
    await expect((await Backup.open(place, source, options())).once()).rejects.toThrow('broke off the copy');
    expect((await read()).events).toHaveLength(10);
  });

  it.each([
    [
      'another installation',
      [entry('installation', 'theirs')],
      'are those of another installation (theirs) than the log',
    ],
    ['a restored copy', [mark('other')], 'are those of another log (other) than the one that is copied (log)'],
  ])('refuses the keys of %s', async (_, lines, words) => {
    const source = new Installation(10);
    source.news.push(() => source.whole(...lines));
    const backup = await Backup.open(place, source, options());
    await expect(backup.once()).rejects.toThrow(words);
  });

  it.each([
    ['installation', [mark('log')]],
    ['log', [entry('installation', 'ours')]],
  ])('refuses keys that do not say their %s', async (_, lines) => {
    const source = new Installation(10);
    source.news.push(async function* () {
      yield { whole: true };
      yield* lines;
      yield { upto: '10' };
    });
    const backup = await Backup.open(place, source, options());
    await expect(backup.once()).rejects.toThrow('the keys do not say whose they are');
  });

  it('copies the log up to where the state covers it, and no further', async () => {
    const source = new Installation(30);
    source.news.push(async function* () {
      source.events = 50;
      yield { whole: true };
      yield* OURS;
      yield secret('a', 'AAAA');
      yield { upto: '40' };
    });
    await (await Backup.open(place, source, options())).once();
    const { events, kept } = await read();
    expect(events.map(({ position }) => position)).toEqual(positions(40));
    expect(kept).toEqual([secret('a', 'AAAA')]);
  });

  it('with --keep removes older copies, and none of the log', async () => {
    const source = new Installation(10);
    const keep = generationsIn('1d');
    for (let run = 0; run < 3; run += 1) {
      source.events += 10;
      source.news.push(() => source.whole(secret('a', 'AAAA')));
      await (await Backup.open(place, source, options({ keep }))).once();
    }
    expect(readdirSync(join(place.path, 'states'))).toHaveLength(1);
    expect(place.manifest()?.copies).toHaveLength(1);
    expect((await read()).events).toHaveLength(40);
  });

  it.each([
    ['log', 'log/app.log'],
    ['states', 'states/one'],
    ['tail', 'tail/some.blocks'],
    ['notes', 'notes'],
  ])('refuses a folder with other files (%s), and leaves them', async (told, file) => {
    mkdirSync(dirname(join(place.path, file)), { recursive: true });
    writeFileSync(join(place.path, file), 'theirs');
    await expect(Backup.open(place, new Installation(10), options())).rejects.toThrow(
      `it has no backup.json), and holds other files (${told}): name an empty folder`,
    );
    expect(readFileSync(join(place.path, file), 'utf8')).toBe('theirs');
    expect(existsSync(join(place.path, 'backup.json'))).toBe(false);
  });

  it('removes only what a backup has written', async () => {
    const source = new Installation(10);
    source.news.push(() => source.whole(secret('a', 'AAAA')));
    await (await Backup.open(place, source, options())).once();
    const [copy] = readdirSync(join(place.path, 'states'));
    const write = (file: string): void => {
      mkdirSync(dirname(join(place.path, file)), { recursive: true });
      writeFileSync(join(place.path, file), 'x');
    };
    const foreign = ['log/app.log', 'states/one/state-1.ndjson.zst', 'states/20261128T020000Z/notes', 'tail/a.blocks'];
    const left = [
      'log/00000009.ndjson.zst',
      'log/00000002.ndjson.zst.tmp',
      'states/20261128T020000Z/state-1.ndjson.zst',
      'states/20261128T010000Z/erasures-2.jsonl.tmp',
      'tail/7.blocks',
    ];
    for (const file of [...foreign, ...left]) write(file);
    await Backup.open(place, source, options());
    for (const file of foreign) expect([file, existsSync(join(place.path, file))]).toEqual([file, true]);
    for (const file of left) expect([file, existsSync(join(place.path, file))]).toEqual([file, false]);
    expect(readdirSync(join(place.path, 'states'))).toEqual(['20261128T020000Z', copy, 'one']);
  });

  it('refuses a place in the data folder, also over a link', () => {
    const dataDir = join(folder.path, 'data');
    const link = join(folder.path, 'link');
    mkdirSync(dataDir);
    symlinkSync(dataDir, link);
    expect(() => refuseWithin(dataDir, dataDir)).toThrow('is the data folder itself (DATA_DIR)');
    expect(() => refuseWithin(join(link, 'views'), dataDir)).toThrow(`is in the data folder ${dataDir} (DATA_DIR)`);
    expect(() => refuseWithin(join(folder.path, 'data-2'), dataDir)).not.toThrow();
    expect(() => refuseWithin(folder.path, dataDir)).not.toThrow();
  });

  it('refuses a place that is a file', () => {
    const file = join(folder.path, 'file');
    writeFileSync(file, '');
    expect(() => refuseForeign(file)).toThrow(`${file} is a file, and a backup is a folder`);
  });

  it('is alone in its folder', () => {
    const release = lockBackup(place.path);
    expect(() => lockBackup(place.path)).toThrow('another backup writes to');
    release();
    lockBackup(place.path)();
  });

  it('refuses a log that has lost what was copied', async () => {
    const source = new Installation(20);
    await (await Backup.open(place, source, options())).once();
    source.events = 10;
    await expect(Backup.open(place, source, options())).rejects.toThrow('has another history than the log');
  });
});

describe('G12.2: a run that follows', () => {
  /** Follows until the news end. */
  async function follow(source: Installation, more: Partial<BackupOptions> = {}): Promise<number> {
    const stop = new AbortController();
    let copies = 0;
    source.news.push(async function* () {
      stop.abort();
      yield* [];
    });
    const backup = await Backup.open(place, source, options({ signal: stop.signal, ...more }));
    await backup
      .follow(() => (copies += 1))
      .catch((error: unknown) => {
        if (!stop.signal.aborted) throw error;
      });
    return copies;
  }

  it('has each change, the last one of a row, the ledger and the erasures', async () => {
    const source = new Installation(5);
    source.ledgerLines = ['first'];
    source.news.push(async function* () {
      yield* source.whole(secret('a', 'AAAA'), secret('b', 'BBBB'));
      source.events = 7;
      source.ledgerLines.push('second');
      yield secret('a', null);
      yield { upto: '7' };
      source.events = 8;
      yield secret('a', 'CCCC');
      yield { upto: '8' };
    });
    expect(await follow(source)).toBe(1);
    const { events, kept } = await read();
    expect(events).toHaveLength(8);
    expect(kept.filter(({ kind }) => kind === 'secret')).toEqual([
      secret('a', 'AAAA'),
      secret('b', 'BBBB'),
      secret('a', 'CCCC'),
    ]);
    expect(kept.flatMap((each) => (each.kind === 'ledger' ? [each.text] : []))).toEqual(['first', 'second']);
    expect(place.manifest()?.tail).toBeNull();
  });

  it('is whole after a jump of many events, as after a pause of its machine', async () => {
    const source = new Installation(5);
    source.news.push(async function* () {
      yield* source.whole();
      source.events = 130_000;
      yield { upto: '130000' };
    });
    await follow(source);
    expect((await read()).events.map(({ position }) => position)).toEqual(positions(130_000));
  });

  it('begins anew when the service does, in the place of the copy that it has followed', async () => {
    const source = new Installation(5);
    source.news.push(
      async function* () {
        yield* source.whole(secret('a', 'AAAA'));
        source.events = 6;
        yield { upto: '6' };
        yield { whole: true };
      },
      async function* () {
        source.events = 9;
        yield* source.whole(secret('b', 'BBBB'));
      },
    );
    expect(await follow(source)).toBe(2);
    const { events, kept, backup } = await read();
    expect([events.length, kept]).toEqual([9, [secret('b', 'BBBB')]]);
    expect(backup.manifest.copies).toHaveLength(1);
  });

  it('has each erasure once, also if the file was away for a moment', async () => {
    const source = new Installation(5);
    let tail: ReadBackup | undefined;
    source.news.push(async function* () {
      writeFileSync(source.erasuresFile, head + erasure(1) + erasure(2));
      yield* source.whole();
      writeFileSync(source.erasuresFile, head + erasure(1) + erasure(2) + erasure(3));
      yield { upto: '5' };
      rmSync(source.erasuresFile);
      yield { upto: '5' };
      writeFileSync(source.erasuresFile, head + erasure(1) + erasure(2) + erasure(3));
      yield { upto: '5' };
      writeFileSync(source.erasuresFile, head + [1, 2, 3, 4].map(erasure).join(''));
      yield { upto: '5' };
      const { number = 0 } = place.manifest()?.tail ?? {};
      const lines = (await readTail(place, 'ours', number)).flat();
      expect(lines.filter((text) => text.includes('erasure')).length).toBe(2);
      tail = await ReadBackup.open(place, undefined);
      yield { upto: '5' };
    });
    await follow(source);
    expect(tail?.known.erasures?.lines.map(({ number }) => number)).toEqual([1, 2, 3, 4]);
  });

  it('that a killed run has left is not sealed with fewer erasures than it has', async () => {
    const source = new Installation(5);
    const killed = new BackupFolder(`${place.path}-killed`, place.seal);
    source.news.push(async function* () {
      writeFileSync(source.erasuresFile, head + erasure(1));
      yield* source.whole();
      writeFileSync(source.erasuresFile, head + erasure(1) + erasure(2));
      yield { upto: '5' };
      cpSync(place.path, killed.path, { recursive: true });
    });
    await follow(source);
    rmSync(source.erasuresFile);
    await expect(Backup.open(killed, source, options())).rejects.toThrow('lacks the erasure 1, which an earlier copy');
    writeFileSync(source.erasuresFile, head + erasure(1));
    await expect(Backup.open(killed, source, options())).rejects.toThrow('lacks the erasure 2, which an earlier copy');
    expect((await ReadBackup.open(killed, undefined)).known.erasures?.lines).toHaveLength(2);
  });

  it.each([
    ['the same line again is read once', [erasure(1), erasure(2)], 2],
    ['another line of a known number is refused', [erasure(1).replace('"p"', '"x"')], 'has another erasure 1 than'],
    ['a missing line is refused', [erasure(3)], 'must be the erasure number 2'],
  ])('%s', async (_, later, expected) => {
    const source = new Installation(5);
    writeFileSync(source.erasuresFile, head + erasure(1));
    await (await Backup.open(place, source, options())).once();
    const manifest = place.manifest();
    if (manifest === undefined) throw new Error('there is no manifest');
    const tail = TailWriter.begin(place, 'ours', 1);
    await tail.add(later.map((text) => JSON.stringify({ kind: 'erasure', text: text.trim() })));
    tail.close();
    place.name({ ...manifest, tail: { number: 1, copy: manifest.copies[0]?.name ?? '' } });
    const opened = ReadBackup.open(place, undefined);
    if (typeof expected === 'string') await expect(opened).rejects.toThrow(expected);
    else expect((await opened).known.erasures?.lines).toHaveLength(expected);
  });

  it('knows the erasures of its newest copy, whichever is restored', async () => {
    const source = new Installation(5);
    writeFileSync(source.erasuresFile, head + erasure(1));
    await (await Backup.open(place, source, options())).once();
    writeFileSync(source.erasuresFile, head + erasure(1) + erasure(2));
    await (await Backup.open(place, source, options())).once();
    const [first, second] = place.manifest()?.copies ?? [];
    expect((await ReadBackup.open(place, first?.name)).known.erasures?.lines).toHaveLength(2);
    // An older copy can be restored although a newer one is damaged, but then what is known is not whole.
    writeFileSync(place.fileOf(`states/${second?.name}/erasures.jsonl`), '');
    const { erasures, unread } = (await ReadBackup.open(place, first?.name)).known;
    expect(erasures?.lines).toHaveLength(1);
    expect(unread?.message).toContain('erasures.jsonl does not have its');
    await expect(ReadBackup.open(place, second?.name)).rejects.toThrow('erasures.jsonl does not have its');
  });

  it('copies erasures as they come', async () => {
    const source = new Installation(5);
    let tail: ReadBackup | undefined;
    source.news.push(async function* () {
      writeFileSync(source.erasuresFile, head + erasure(1));
      yield* source.whole();
      writeFileSync(source.erasuresFile, head + erasure(1) + erasure(2));
      yield { upto: '5' };
      // The block is on disk when more is asked for: this is what a kill now would leave.
      tail = await ReadBackup.open(place, undefined);
      yield { upto: '5' };
    });
    await follow(source);
    expect(tail?.known.erasures?.lines.map(({ number }) => number)).toEqual([1, 2]);
    const { copy, known } = await ReadBackup.open(place, undefined);
    expect(known.erasures?.lines).toHaveLength(2);
    // What the manifest of before named is as it was: a kill may leave that one.
    expect(readdirSync(join(place.path, 'states', copy.name)).toSorted()).toEqual([
      'erasures-2.jsonl',
      'erasures.jsonl',
      'state-1.ndjson.zst',
    ]);
    expect(readFileSync(join(place.path, 'states', copy.name, 'erasures.jsonl'), 'utf8')).toBe(head + erasure(1));
    expect(existsSync(join(place.path, 'tail')) ? readdirSync(join(place.path, 'tail')) : []).toEqual([]);
  });
});
