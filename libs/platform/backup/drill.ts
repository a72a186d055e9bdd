import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { BACKUP_FILE } from '#backup';
import { type Machine, writeSecretFile } from '#eventsourcing';
import { type Instant, utcTime } from '#kernel';
import type { VerificationEnd } from '../audit/verification.js';
import { type Config, readConfig } from '../config.js';
import { LEDGER_FILE } from '../folder/inspected-folder.js';
import { openToRead } from '../read-folder.js';
import { untilViewsEnd } from '../readiness.js';
import { DRILL_FILE } from './drill-file.js';
import { personsWithoutKeys } from './persons-without-keys.js';
import { type RestoreOrder, type RestoreProgress, restore } from './restore.js';

/** What a drill has found. */
export interface DrillReport {
  /** When it ended. */
  readonly at: Instant;
  /** When its copy was taken, and how old it was. */
  readonly copied: Instant;
  readonly age: number;
  readonly events: number;
  /** Contradictions in log, views and money, and persons without a key. */
  readonly findings: number;
  /** What each finding says, the first ones. */
  readonly told: readonly string[];
  readonly seconds: number;
  readonly end: VerificationEnd;
}

/** Who hears of a drill. */
export interface DrillHearer {
  readonly signal: AbortSignal;
  progress(progress: RestoreProgress | { what: 'views' | 'verify'; done: number; of: number | undefined }): void;
}

/** How many findings are told. */
const MOST_TOLD = 100;
/** A gateway that nobody asks: the ledger of the real one is not in the backup. */
const ELSEWHERE = 'http://127.0.0.1:9';

/**
 * Restores the newest copy into a temporary folder, builds the views there, compares log, views and money, and notes in the backup
 * how that ended. The temporary folder is removed.
 * @param config says where the master key and the file of erasures are
 * @throws Error for people to read if the backup cannot be restored; that is noted, too
 */
export async function drill(
  config: Config,
  order: RestoreOrder,
  hearer: DrillHearer,
  machine: Machine,
): Promise<DrillReport> {
  const place = mkdtempSync(join(tmpdir(), 'holdfast-drill-'));
  try {
    const report = await drillIn(join(place, 'data'), config, order, hearer, machine);
    note(order.backup, { verdict: report.findings === 0 ? 'sound' : 'findings', ...shown(report) });
    return report;
  } catch (error) {
    if (!hearer.signal.aborted)
      note(order.backup, { verdict: 'refused', at: utcTime(machine.time.wall()), error: (error as Error).message });
    throw error;
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

async function drillIn(
  dataDir: string,
  { masterKey, erasuresFile }: Config,
  order: RestoreOrder,
  hearer: DrillHearer,
  machine: Machine,
): Promise<DrillReport> {
  const { time } = machine;
  const began = time.monotonic();
  const erasures = order.erasures ?? erasuresFile;
  const plain = readConfig({
    DATA_DIR: dataDir,
    HOST: '127.0.0.1',
    PORT: '0',
    TIMERS: 'false',
    DEMO: 'false',
    SELF_AUDIT: 'off',
    ...(masterKey !== undefined && { MASTER_KEY: masterKey }),
  });
  const restored = await restore(
    plain,
    { ...order, erasures },
    { signal: hearer.signal, progress: (step) => hearer.progress(step) },
    machine,
  );
  const told: string[] = [];
  const tell = (words: string): void => {
    if (told.length < MOST_TOLD) told.push(words);
  };
  let withoutKeys = 0;
  for await (const person of personsWithoutKeys(dataDir, hearer.signal)) {
    withoutKeys += 1;
    tell(`the key store: it never had a key of ${person}, of whom the log has sealed data: nobody can open that`);
  }
  const sandboxGatewayUrl = existsSync(join(dataDir, LEDGER_FILE)) ? undefined : ELSEWHERE;
  const silent = pino({ level: 'silent' });
  const service = await openToRead({ ...plain, sandboxGatewayUrl }, silent);
  try {
    hearer.progress({ what: 'views', done: 0, of: restored.events });
    await untilViewsEnd(service, silent);
    let end: VerificationEnd | undefined;
    for await (const line of service.audits.verification.run(hearer.signal)) {
      if ('progress' in line) hearer.progress({ what: 'verify', done: line.progress.events, of: line.progress.of });
      if ('finding' in line) tell(`${line.finding.where ?? 'the log'}: ${line.finding.what}`);
      if ('end' in line) ({ end } = line);
    }
    hearer.signal.throwIfAborted();
    if (end === undefined) throw new Error('the comparison broke off');
    const at = time.wall();
    return {
      at,
      copied: restored.at,
      age: at - restored.at,
      events: restored.events,
      findings: withoutKeys + end.findings,
      told,
      seconds: Math.round(time.monotonic() - began) / 1_000,
      end,
    };
  } finally {
    await service.close();
  }
}

function shown({ at, copied, age, events, findings, seconds }: DrillReport): object {
  return {
    at: utcTime(at),
    copied_at: utcTime(copied),
    age_seconds: Math.round(age / 1_000),
    events,
    findings,
    seconds,
  };
}

function note(backup: string, verdict: object): void {
  if (existsSync(join(backup, BACKUP_FILE))) writeSecretFile(join(backup, DRILL_FILE), `${JSON.stringify(verdict)}\n`);
}
