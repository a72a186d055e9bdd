import type { Logger } from 'pino';
import { retryWhileUnavailable, Unavailable } from '#eventsourcing';
import { Eraser, ErasureRegister } from '#erasure';
import { MINUTE } from '#kernel';
import type { Mailer } from '#mailing/mail';
import { INSTALLATION_ENTRY } from '#ownership';
import type { Config } from '../config.js';
import { guardedKeys } from '../guarded-secrets.js';
import type { Surroundings } from '../surroundings.js';
import type { OpenedEngine } from './open-engine.js';

/** Erases persons, also those whose erasure a killed process or an older copy of the data left undone. */
export interface OpenedEraser {
  readonly eraser: Eraser;
  /** Makes everybody unreadable who must be erased: to be called before anybody is answered. */
  shut(): Promise<void>;
  /** Finishes what is undone, now and each minute. */
  start(): void;
  close(): Promise<void>;
}

/**
 * Opens the file of erasures, unless this process erases nobody: a worker, one that only reads, or one whose log is refused.
 * @throws Error for people if the file is damaged, or of another installation
 */
export async function openEraser(
  config: Config,
  { engines, engine, owned: { guard } }: OpenedEngine,
  mailer: Mailer,
  logger: Logger,
  around: Surroundings,
): Promise<OpenedEraser> {
  const { writer, reader, time, clock, keyring, log, randomness, records } = engine;
  const erases = config.role !== 'worker' && around.readsOnly !== true && !guard.refused;
  const installation = erases ? await engines.keyValues.insert(INSTALLATION_ENTRY, randomness.uuid()) : undefined;
  const opened = installation === undefined ? undefined : around.openErasures?.(config, installation);
  if (opened instanceof Error) {
    logger.warn(
      `nobody can be erased: ${opened.message}. Name a file outside the data folder and its backups in ERASURES_FILE`,
    );
  }
  const register = new ErasureRegister({
    kept: opened ?? new Error('this process erases nobody'),
    keyValues: engines.keyValues,
    keyring,
    clock,
    head: () => log.head(),
  });
  const keys = guardedKeys(engines.keys, guard);
  const eraser = new Eraser({ writer, reader, time, keys, records, mailer, register });
  let finishing: Promise<void> | undefined;
  const finish = (): void => {
    finishing ??= eraser
      .finishAll()
      .catch((error: unknown) => {
        if (!(error instanceof Unavailable)) logger.error({ err: error }, 'erasures are not finished');
      })
      .finally(() => (finishing = undefined));
  };
  const timer = { stop: (): void => undefined };
  return {
    eraser,
    async shut() {
      if (!erases) return;
      await retryWhileUnavailable(time, () => register.agree());
      const count = await retryWhileUnavailable(time, () => eraser.shutAll());
      if (count > 0) logger.warn({ count }, 'persons are erased whose erasure was not finished');
    },
    start() {
      if (!erases) return;
      finish();
      const every = time.every(MINUTE, finish).unref();
      timer.stop = () => time.cancel(every);
    },
    async close() {
      timer.stop();
      await finishing;
    },
  };
}
