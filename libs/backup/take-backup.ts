import { existsSync, statSync } from 'node:fs';
import { erasuresText, firstLacking, readErasures } from '#erasures-file';
import type { Time } from '#eventsourcing';
import { type Instant, parsedJson, type Position, utcTime } from '#kernel';
import type { BackupFolder } from './backup-folder.js';
import { refuseForeign } from './backup-place.js';
import { BackupRefused } from './damaged.js';
import { type Generations, keptOf } from './generations.js';
import { erasuresOf } from './known-erasures.js';
import { type Copy, emptyManifest, erasuresPath, type Manifest, tailPath } from './manifest.js';
import { OpenSegment, writeSegment } from './segments.js';
import type { BackupSource } from './source.js';
import { latestOf, StateFiles } from './state-files.js';
import type { StateNews } from './state-copy.js';
import type { KeptLine } from './state-line.js';
import { readTail, TailWriter } from './tail.js';
import { columnsIn, type EventLine } from './event-line.js';

/** Milliseconds between two manifests during a run: so much of a run is done again after it broke off. */
const NAMED_EVERY = 2_000;
/** A copy that is followed begins anew when what has changed since has more bytes than all of it, and than this. */
const CHANGED = 64 * 1024 * 1024;

/** How far a run is. */
export interface BackupProgress {
  readonly what: 'log' | 'state';
  readonly done: number;
  readonly of: number | undefined;
}

/** What a run has copied. */
export interface TakenBackup {
  readonly at: Instant;
  /** Events and bytes that this run has written, and the events of the whole copy. */
  readonly events: number;
  readonly bytes: number;
  readonly inAll: number;
  readonly removed: number;
}

export interface BackupOptions {
  /** The installation that the data belongs to. */
  readonly installation: string;
  readonly keep?: Generations | undefined;
  readonly signal: AbortSignal;
  readonly time: Time;
  readonly progress: (progress: BackupProgress) => void;
}

/** Takes backups into a folder that this process has locked. */
export class Backup {
  #manifest: Manifest;
  readonly #open = new OpenSegment();
  #named: number;
  #written = { events: 0, bytes: 0 };

  private constructor(
    private readonly folder: BackupFolder,
    private readonly source: BackupSource,
    private readonly options: BackupOptions,
    manifest: Manifest,
  ) {
    this.#manifest = manifest;
    this.#named = options.time.monotonic();
  }

  /**
   * Opens the folder: what an earlier run has left is sealed or removed.
   * @throws BackupRefused if it is no backup, another installation's, or has another history than the log
   */
  static async open(folder: BackupFolder, source: BackupSource, options: BackupOptions): Promise<Backup> {
    const { installation } = options;
    refuseForeign(folder.path);
    const found = folder.manifest();
    const manifest = found ?? emptyManifest(installation, folder.seal.encrypts);
    if (manifest.installation !== installation) {
      throw new BackupRefused(
        `${folder.path} is the backup of another installation (${manifest.installation}), not of ${installation}: name another folder`,
      );
    }
    const backup = new Backup(folder, source, options, manifest);
    // From now on the folder is a backup, whatever a run that breaks off leaves in it.
    if (found === undefined) backup.#name(manifest);
    await backup.#sealTail();
    await backup.#assertSameHistory();
    backup.#clean();
    return backup;
  }

  /** Copies everything once. @throws Error for people to read; the next run goes on */
  async once(): Promise<TakenBackup> {
    const news = this.source.state(false, this.options.signal);
    return this.#take(news[Symbol.asyncIterator]());
  }

  /**
   * Copies everything, and then each change as it comes, until the signal aborts.
   * @param began called with each whole copy
   */
  async follow(began: (taken: TakenBackup) => void): Promise<void> {
    const { signal } = this.options;
    /** The copy that the next one takes the place of, unless generations are kept. */
    let followed: string | undefined;
    while (!signal.aborted) {
      const ending = new AbortController();
      const news = this.source.state(true, AbortSignal.any([signal, ending.signal]))[Symbol.asyncIterator]();
      try {
        began(await this.#take(news, followed));
        followed = this.#manifest.copies.at(-1)?.name;
        await this.#follow(news);
      } finally {
        ending.abort();
        await news.return?.();
      }
    }
  }

  async #take(news: AsyncIterator<StateNews>, replaced?: string): Promise<TakenBackup> {
    const { time, keep } = this.options;
    this.#written = { events: 0, bytes: 0 };
    const { log } = this.source;
    await this.#copyLog(await log.head());
    const name = this.#newName();
    const { state, upto } = await this.#copyState(news, name);
    await this.#copyLog(upto);
    await this.#flush();
    const copy = await this.#describe(name, state);
    const copies = [...this.#manifest.copies, copy];
    const kept = keep === undefined ? copies.filter((each) => each.name !== replaced) : keptOf(copies, keep);
    this.#name({ ...this.#manifest, copies: [...kept] });
    this.#clean();
    return { at: time.wall(), ...this.#written, inAll: copy.events, removed: copies.length - kept.length };
  }

  /** A copy of now, whose segments are all that there are. */
  async #describe(name: string, state: Copy['state']): Promise<Copy> {
    const { log } = this.source;
    const { segments } = this.#manifest;
    return {
      name,
      at: this.options.time.wall(),
      engine: log.engine,
      log: log.identity,
      ledger: (await log.owner())?.ledger ?? null,
      segments: segments.length,
      events: segments.reduce((sum, { count }) => sum + count, 0),
      state,
      erasures: await this.#copyErasures(name),
    };
  }

  /** The last event that is copied. */
  get #last(): { readonly position: Position; readonly id: string } | undefined {
    const segment = this.#manifest.segments.at(-1);
    return this.#open.last ?? (segment && { position: BigInt(segment.last), id: segment.last_id });
  }

  /** Copies the log up to a position; the last events stay in the open segment. */
  async #copyLog(upTo: Position): Promise<void> {
    const { log } = this.source;
    const { signal, progress } = this.options;
    const after = this.#last?.position ?? 0n;
    if (after >= upTo) return;
    const of = await log.countAfter(after, upTo);
    let done = 0;
    let writing: Promise<void> = Promise.resolve();
    try {
      for await (const lines of log.events(after, upTo)) {
        for (const line of lines) {
          this.#open.add(line);
          if (this.#open.isFull) {
            await writing;
            writing = this.#seal(this.#open.take());
            // Whoever waits for it next hears of its failure.
            writing.catch(() => undefined);
          }
        }
        done += lines.length;
        progress({ what: 'log', done, of });
        signal.throwIfAborted();
      }
    } finally {
      // What is interrupted goes on from here.
      await writing;
    }
  }

  async #flush(): Promise<void> {
    const lines = this.#open.take();
    if (lines.length > 0) await this.#seal(lines);
  }

  async #seal(lines: readonly EventLine[]): Promise<void> {
    const { time } = this.options;
    const { segments } = this.#manifest;
    const segment = await writeSegment(this.folder, this.#manifest, lines, segments.at(-1));
    this.#written.events += segment.count;
    this.#written.bytes += segment.bytes;
    this.#manifest = { ...this.#manifest, segments: [...segments, segment] };
    if (time.monotonic() - this.#named > NAMED_EVERY) this.#name(this.#manifest);
  }

  #name(manifest: Manifest): void {
    this.#manifest = manifest;
    this.folder.name(manifest);
    this.#named = this.options.time.monotonic();
  }

  async #copyState(
    news: AsyncIterator<StateNews>,
    name: string,
  ): Promise<{ readonly state: Copy['state']; readonly upto: Position }> {
    const { signal, progress } = this.options;
    let files = new StateFiles(this.folder, this.#manifest, name);
    const entries = new Map<string, string>();
    let done = 0;
    const add = async (line: KeptLine): Promise<void> => {
      done += 1;
      if (done % 10_000 === 0) progress({ what: 'state', done, of: undefined });
      await files.add(line);
    };
    for (let next = await news.next(); next.done !== true; next = await news.next()) {
      signal.throwIfAborted();
      const { value } = next;
      if ('whole' in value) {
        files = new StateFiles(this.folder, this.#manifest, name);
        continue;
      }
      if (!('upto' in value)) {
        if (value.kind === 'entry') {
          entries.set(value.name, value.text);
          this.#assertOurs(entries);
        }
        await add(value);
        continue;
      }
      if (!entries.has(INSTALLATION) || !entries.has(MARK))
        throw new BackupRefused(`the keys do not say whose they are, or of which log: ${RIGHT_SERVICE}`);
      const { lines, end } = this.source.ledger(0);
      this.#ledgerEnd = end;
      for (const text of lines) await add({ kind: 'ledger', text });
      return { state: await this.#whole(files), upto: BigInt(value.upto) };
    }
    signal.throwIfAborted();
    throw new BackupRefused('the service broke off the copy of what it keeps beside the log: run the backup again');
  }

  #ledgerEnd = 0;
  #erasures = { size: 0, count: 0 };

  async #whole(files: StateFiles): Promise<Copy['state']> {
    const all = await files.finish();
    this.#written.bytes += all.reduce((sum, { bytes }) => sum + bytes, 0);
    return all;
  }

  /** Copies the file of erasures; null if there is none. @throws BackupRefused if it lacks what was copied before */
  async #copyErasures(name: string): Promise<Copy['erasures']> {
    const { installation } = this.#manifest;
    const { erasuresFile } = this.source;
    const erasures = readErasures(erasuresFile);
    const newest = this.#manifest.copies.at(-1);
    const before = newest && (await erasuresOf(this.folder, this.#manifest, newest));
    if (before !== undefined) {
      const lacking = firstLacking(erasures ?? { installation, lines: [] }, before);
      if (lacking !== undefined) {
        throw new BackupRefused(
          `${erasuresFile} (ERASURES_FILE) lacks the erasure ${lacking.number}, which an earlier copy in ${this.folder.path} has: put the file back`,
        );
      }
    }
    this.#erasures = {
      size: statSync(erasuresFile, { throwIfNoEntry: false })?.size ?? 0,
      count: erasures?.lines.length ?? 0,
    };
    if (erasures === undefined) return null;
    if (erasures.installation !== installation) {
      throw new BackupRefused(
        `${erasuresFile} (ERASURES_FILE) is of another installation (${erasures.installation}): put the right file there`,
      );
    }
    const known = this.#manifest.copies.find((copy) => copy.name === name)?.erasures ?? undefined;
    const count = erasures.lines.length;
    if (known?.count === count) return known;
    // What a manifest names is never written over.
    const file = { name: known === undefined ? 'erasures.jsonl' : `erasures-${count}.jsonl` };
    const written = await this.folder.write(installation, erasuresPath({ name }, file), erasuresText(erasures));
    return { ...file, count, ...written };
  }

  /** Adds what comes to an open file, and seals that when it is full. Returns when everything must be copied anew. */
  async #follow(news: AsyncIterator<StateNews>): Promise<void> {
    const { signal, time, keep } = this.options;
    const day = utcTime(time.wall()).slice(0, 10);
    let tail = this.#beginTail();
    const kept: KeptLine[] = [];
    const block: string[] = [];
    const add = (line: KeptLine): void => {
      kept.push(line);
      block.push(JSON.stringify(line));
    };
    try {
      for (let next = await news.next(); next.done !== true && !signal.aborted; next = await news.next()) {
        const { value } = next;
        // The service was started again, or knows no longer what has changed.
        if ('whole' in value) return;
        if (!('upto' in value)) {
          add(value);
          continue;
        }
        for (const line of this.#beside()) add(line);
        for (let isBehind = true; isBehind;) {
          isBehind = await this.#copyPart(BigInt(value.upto), ({ text }) => void block.push(text));
          if (block.length > 0) await tail.add(block.splice(0));
          if (!this.#open.isFull && kept.length < TAIL_LINES) continue;
          tail.close();
          await this.#sealFollowed(kept.splice(0));
          const isNewDay = keep !== undefined && utcTime(time.wall()).slice(0, 10) !== day;
          if (isNewDay || this.#hasChangedMuch()) return;
          tail = this.#beginTail();
        }
      }
    } finally {
      tail.close();
      if (this.#manifest.tail !== null) await this.#sealFollowed(kept);
    }
  }

  /** Copies the log towards a position, until the open segment is full. @returns whether the position is not reached */
  async #copyPart(upTo: Position, see: (line: EventLine) => void): Promise<boolean> {
    const after = this.#last?.position ?? 0n;
    if (after >= upTo) return false;
    for await (const lines of this.source.log.events(after, upTo)) {
      for (const line of lines) {
        this.#open.add(line);
        see(line);
      }
      if (this.#open.isFull) break;
    }
    return (this.#last?.position ?? 0n) < upTo && this.#open.isFull;
  }

  /** New lines of the ledger and of the file of erasures. */
  #beside(): readonly KeptLine[] {
    const { lines, end } = this.source.ledger(this.#ledgerEnd);
    this.#ledgerEnd = end;
    const ledger = lines.map((text): KeptLine => ({ kind: 'ledger', text }));
    const { erasuresFile } = this.source;
    const size = statSync(erasuresFile, { throwIfNoEntry: false })?.size;
    const all = size === this.#erasures.size ? undefined : readErasures(erasuresFile)?.lines;
    // A file that is away for a moment, or put back as it was, has nothing new.
    if (size === undefined || all === undefined) return ledger;
    const { count } = this.#erasures;
    const fresh = all.slice(count);
    this.#erasures = { size, count: Math.max(count, all.length) };
    return [...ledger, ...fresh.map((line): KeptLine => ({ kind: 'erasure', text: JSON.stringify(line) }))];
  }

  #beginTail(): TailWriter {
    const copy = this.#manifest.copies.at(-1);
    if (copy === undefined) throw new RangeError('a tail follows a copy');
    const number = (this.#lastTail += 1);
    const tail = TailWriter.begin(this.folder, this.#manifest.installation, number);
    this.#name({ ...this.#manifest, tail: { number, copy: copy.name } });
    return tail;
  }

  #lastTail = 0;

  /** Makes segments and a state file of what the open file holds. */
  async #sealFollowed(lines: readonly KeptLine[]): Promise<void> {
    const copy = this.#manifest.copies.find(({ name }) => name === this.#manifest.tail?.copy);
    if (copy === undefined) throw new RangeError('a tail follows a copy');
    await this.#flush();
    const files = new StateFiles(this.folder, this.#manifest, copy.name, copy.state.length);
    for (const line of latestOf(lines.filter(({ kind }) => kind !== 'erasure'))) await files.add(line);
    const { engine, log } = copy;
    // Its keys are those of that log, also if the backup goes on with a restored one.
    const sealed = {
      ...(await this.#describe(copy.name, [...copy.state, ...(await this.#whole(files))])),
      ...{ engine, log },
    };
    const copies = this.#manifest.copies.map((each) => (each.name === copy.name ? sealed : each));
    this.#name({ ...this.#manifest, copies, tail: null });
    this.#clean();
  }

  #hasChangedMuch(): boolean {
    const [whole, ...changes] = this.#manifest.copies.at(-1)?.state ?? [];
    return changes.reduce((sum, { bytes }) => sum + bytes, 0) > Math.max(CHANGED, whole?.bytes ?? 0);
  }

  /** Seals what a run has left that followed and was killed. */
  async #sealTail(): Promise<void> {
    const { tail, installation } = this.#manifest;
    if (tail === null) return;
    this.#lastTail = tail.number;
    const kept: KeptLine[] = [];
    for (const block of await readTail(this.folder, installation, tail.number)) {
      for (const text of block) {
        const line = eventIn(text);
        if (line === undefined) kept.push(JSON.parse(text) as KeptLine);
        else if (this.#last === undefined || line.position > this.#last.position) this.#open.add(line);
      }
    }
    await this.#sealFollowed(kept);
  }

  /** Keys of another installation open nothing of this log, and those of another log of this installation not everything. */
  #assertOurs(entries: ReadonlyMap<string, string>): void {
    const { installation } = this.options;
    const { identity } = this.source.log;
    const theirs = entries.get(INSTALLATION) ?? installation;
    if (theirs !== installation) {
      throw new BackupRefused(
        `the keys are those of another installation (${theirs}) than the log (${installation}): ${RIGHT_SERVICE}`,
      );
    }
    const log = logOf(entries) ?? identity;
    if (log !== identity) {
      throw new BackupRefused(
        `the keys are those of another log (${log}) than the one that is copied (${identity}), such as that of a restored copy: ${RIGHT_SERVICE}`,
      );
    }
  }

  async #assertSameHistory(): Promise<void> {
    const last = this.#last;
    if (last === undefined || (await this.source.log.idAt(last.position)) === last.id) return;
    throw new BackupRefused(
      `${this.folder.path} has another history than the log: the event at position ${last.position} is another one, or missing. ` +
        'Keep it, and name another folder for the log of now',
    );
  }

  #clean(): void {
    const { segments, copies, tail } = this.#manifest;
    const last = segments.length;
    this.folder.clean('log', (name) => last >= Number(/^(\d+)\.ndjson\.zst$/.exec(name)?.[1] ?? Infinity));
    this.folder.clean('states', (name) => copies.some((copy) => copy.name === name));
    this.folder.clean('tail', (name) => tail !== null && tailPath(tail.number).endsWith(`/${name}`));
  }

  #newName(): string {
    const known = new Set(this.#manifest.copies.map(({ name }) => name));
    for (let at = this.options.time.wall(); ; at += 1_000) {
      const name = utcTime(at).replaceAll(/[-:]/g, '');
      if (!known.has(name) && !existsSync(this.folder.fileOf(`states/${name}`))) return name;
    }
  }
}

/** The names of the entries with the installation, and with the last known event of its log. */
const INSTALLATION = 'installation';
const MARK = 'mark';
const RIGHT_SERVICE =
  'name the address of the service that runs on DATA_DIR (--url), or correct EVENTSTORE_URL or MONGODB_URL';
/** The most lines of the state that an open file holds. */
const TAIL_LINES = 50_000;

/** The identity of the log to which entries belong; undefined if they do not say it. */
export function logOf(entries: ReadonlyMap<string, string>): string | undefined {
  const { identity } = (parsedJson(entries.get(MARK) ?? '') ?? {}) as { readonly identity?: string };
  return identity;
}

/** The event in a line of a tail; undefined if it is a line of the state. */
export function eventIn(text: string): EventLine | undefined {
  if (!text.startsWith('{"position":')) return undefined;
  const columns = columnsIn(text);
  return columns && { position: columns.position, id: columns.id, time: columns.time, text };
}
