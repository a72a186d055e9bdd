import type { Machine } from '#eventsourcing';
import { isoTime } from '#kernel';
import { BUILD } from '../build.js';
import type { Environment } from '../environment.js';
import { checkBackup } from './checks/backup.check.js';
import { checkCertificate } from './checks/certificate.check.js';
import { checkClocks } from './checks/clocks.check.js';
import { checkDkim } from './checks/dkim.check.js';
import { checkEnds } from './checks/ends.check.js';
import { checkErasures } from './checks/erasures.check.js';
import { checkFiles, checkRights, checkRoom } from './checks/folder.checks.js';
import { checkGateway, checkLog, checkMailServer, checkMongoDb, checkRedis } from './checks/servers.checks.js';
import {
  checkAudit,
  checkFindings,
  checkService,
  checkVersions,
  checkViews,
  checkWork,
} from './checks/service.checks.js';
import { checkSettings } from './checks/settings.check.js';
import { beginLooks, type LookOptions, type Looks } from './looks.js';
import { look, type Result, type Verdict, worst } from './verdict.js';

/** The result of one check, by its name. */
export interface Checked extends Result {
  readonly check: string;
}

/** What `holdfast doctor` says (ruling G8.2). */
export interface Diagnosis {
  readonly verdict: Verdict;
  readonly version: string;
  readonly commit: string;
  readonly at: string;
  readonly seconds: number;
  readonly checks: readonly Checked[];
}

/** The checks, in the order in which they are shown. docs/operating.md has each by its name. */
export const CHECKS: Readonly<Record<string, (looks: Looks) => Promise<Result>>> = {
  service: checkService,
  versions: checkVersions,
  settings: checkSettings,
  folder: checkRights,
  room: checkRoom,
  files: checkFiles,
  clocks: checkClocks,
  'event log': checkLog,
  MongoDB: checkMongoDb,
  Redis: checkRedis,
  gateway: checkGateway,
  'mail server': checkMailServer,
  certificate: checkCertificate,
  DKIM: checkDkim,
  ends: checkEnds,
  backup: checkBackup,
  erasures: checkErasures,
  findings: checkFindings,
  'self-audit': checkAudit,
  views: checkViews,
  work: checkWork,
};

/**
 * Checks an installation from the outside: it writes nothing, and disturbs no service. Each check has its own deadline, and all
 * run beside each other.
 * @param environment the settings of the service
 */
export async function diagnose(environment: Environment, options: LookOptions, machine: Machine): Promise<Diagnosis> {
  const { time } = machine;
  const began = time.monotonic();
  const ended = new AbortController();
  const looks = beginLooks(environment, options, machine, ended.signal);
  try {
    const checks = await Promise.all(
      Object.entries(CHECKS).map(async ([check, run]) => ({ check, ...(await run(looks).catch(unfinished)) })),
    );
    return {
      verdict: worst(checks.map(({ verdict }) => verdict)),
      ...BUILD,
      at: isoTime(looks.now),
      seconds: Math.round(time.monotonic() - began) / 1_000,
      checks,
    };
  } finally {
    ended.abort();
  }
}

/** A check that could not look. That is no proof that anything is wrong. */
function unfinished(error: unknown): Result {
  const why = error instanceof Error ? error.message : String(error);
  return look(
    `this check could not look: ${why}`,
    'Run the command again as the user of the service; if it stays so, look there by hand.',
  );
}
