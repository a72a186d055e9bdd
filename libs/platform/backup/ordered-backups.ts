import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Logger } from 'pino';
import { BackupRefused, copyState, type StateNews } from '#backup';
import { MINUTE, type Instant } from '#kernel';
import type { Time } from '#eventsourcing';
import type { Config } from '../config.js';
import { Look } from '../metrics/look.js';
import type { CopiedParts } from './copied-parts.js';
import { newestBackup } from './newest-backup.js';
import type { FromBackup, ToBackup } from './ordered.messages.js';

/** The program that takes the backup: it costs the service little in a process of its own. */
const PROGRAM = fileURLToPath(new URL('../../../apps/backup/main.js', import.meta.url));

const NO_PLACE = 'BACKUP_DIR is not set: set it to the folder of backups, and restart the service';

/** Milliseconds between two looks at the folder. */
const LOOKED_AT_EVERY = MINUTE / 4;

/** Rows that are sent together. */
const TOGETHER = 500;

/** A backup that an operator has ordered. */
export interface OrderedBackup {
  readonly began: Instant;
  /** undefined while it runs. */
  readonly ended: Instant | undefined;
  /** Events in all, those of them that it has copied, and bytes; undefined before its end. */
  readonly taken: { readonly events: number; readonly bytes: number; readonly inAll: number } | undefined;
  /** Why it failed. */
  readonly failure: string | undefined;
}

/** Backups that operators order over HTTP, one at a time, into `BACKUP_DIR`. */
export class OrderedBackups {
  #last: OrderedBackup | undefined;
  #child: ChildProcess | undefined;
  /** Up to when the newest backup in `BACKUP_DIR` reaches, 0 for none; null without that folder. */
  readonly newest: Look<Instant | null>;

  constructor(
    private readonly config: Config,
    private readonly parts: CopiedParts,
    private readonly logger: Logger,
    private readonly time: Time,
  ) {
    const { backupDir: folder } = config;
    const look = async (): Promise<Instant | null> => (folder === undefined ? null : (newestBackup(folder)?.at ?? 0));
    this.newest = new Look(look, LOOKED_AT_EVERY, time);
  }

  /** The one that runs, or the last one since the start. */
  get last(): OrderedBackup | undefined {
    return this.#last;
  }

  /**
   * Begins a backup, unless one runs.
   * @param keep as `--keep` takes it
   * @returns the one that runs then
   * @throws BackupRefused that says why none can begin
   */
  begin(keep: string | undefined): OrderedBackup {
    const { backupDir: folder } = this.config;
    if (folder === undefined) throw new BackupRefused(NO_PLACE);
    if (this.#last !== undefined && this.#last.ended === undefined) return this.#last;
    const began: OrderedBackup = { began: this.time.wall(), ended: undefined, taken: undefined, failure: undefined };
    this.#last = began;
    const child = fork(PROGRAM, {
      env: environmentOf(this.config),
      execArgv: ['--disable-warning=ExperimentalWarning'],
    });
    this.#child = child;
    const left = new AbortController();
    let taken: OrderedBackup['taken'];
    let failure: string | undefined;
    child.on('message', (message: FromBackup) => {
      if (message.kind === 'ask') void this.#send(child, left.signal);
      if (message.kind === 'warning') this.logger.warn({ folder }, message.words);
      if (message.kind === 'taken') taken = message;
      if (message.kind === 'failed') failure = message.words;
    });
    child.once('error', (error) => (failure = error.message));
    child.once('exit', () => {
      left.abort();
      this.#child = undefined;
      failure ??= taken === undefined ? 'the process that took it was killed' : undefined;
      this.#last = { ...began, ended: this.time.wall(), taken, failure };
      if (failure === undefined) this.logger.info({ folder, ...taken }, 'a backup was taken');
      else this.logger.error({ folder, failure }, 'a backup has failed; the next one goes on');
    });
    child.send({ kind: 'order', folder, keep } satisfies ToBackup);
    return began;
  }

  /** Ends the one that runs: the next one goes on. */
  close(): void {
    this.#child?.kill('SIGKILL');
  }

  /** Sends what is kept beside the log, no faster than it is taken. */
  async #send(child: ChildProcess, signal: AbortSignal): Promise<void> {
    const send = (message: ToBackup): Promise<unknown> =>
      new Promise((resolve, reject) =>
        child.send(message, (error) => (error === null ? resolve(error) : reject(error))),
      );
    const { rows, head } = this.parts;
    try {
      if (rows === undefined) throw new Error('this service keeps nothing in its data folder');
      const news: StateNews[] = [];
      for await (const each of copyState(rows, head, { follow: false, signal, time: this.time })) {
        news.push(each);
        if (news.length >= TOGETHER) await send({ kind: 'news', news: news.splice(0) });
      }
      await send({ kind: 'news', news: news.splice(0) });
      await send({ kind: 'over', failure: undefined });
    } catch (error) {
      // A process that has ended says so itself.
      await send({ kind: 'over', failure: (error as Error).message }).catch(() => undefined);
    }
  }
}

/** What the process needs of the environment. */
function environmentOf(config: Config): NodeJS.ProcessEnv {
  const { dataDir, eventStoreUrl, eventStorePrefix, mongoUrl, sandboxGatewayUrl, erasuresFile } = config;
  return {
    DATA_DIR: dataDir,
    EVENTSTORE_PREFIX: eventStorePrefix,
    ERASURES_FILE: erasuresFile,
    ...(eventStoreUrl !== undefined && { EVENTSTORE_URL: eventStoreUrl }),
    ...(mongoUrl !== undefined && { MONGODB_URL: mongoUrl }),
    ...(sandboxGatewayUrl !== undefined && { SANDBOX_GATEWAY_URL: sandboxGatewayUrl }),
  };
}
