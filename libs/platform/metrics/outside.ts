import { statfs } from 'node:fs/promises';
import type { OwnedLog, Time } from '#eventsourcing';
import { readCertificates } from '#files';
import { type Instant, MINUTE } from '#kernel';
import { newestBackup } from '../backup/newest-backup.js';
import type { Config } from '../config.js';
import type { Runners } from '../service/open-runners.js';
import { Look } from './look.js';

/** Milliseconds between two looks at files. */
const EVERY = MINUTE / 4;

/** What a process knows of what is around it. */
export interface Outside {
  /** The servers that it needs. */
  readonly servers: Runners['servers'];
  /** How often the log was synced; undefined if a server does that. */
  readonly syncs: () => number | undefined;
  /** Bytes of the disk of the data folder. */
  readonly disk: Look<{ readonly free: number; readonly size: number }>;
  /** Up to when the newest backup reaches; null without `BACKUP_DIR`. */
  readonly backup: Look<Instant | null>;
  /** When the certificate ends; null without one. */
  readonly certificate: Look<Instant | null>;
}

export function outsideOf(
  { dataDir, backupDir, tls }: Config,
  log: Pick<OwnedLog, 'syncs'>,
  servers: Runners['servers'],
  time: Time,
): Outside {
  return {
    servers,
    syncs: () => log.syncs,
    disk: new Look(
      async () => {
        const { bavail, bsize, blocks } = await statfs(dataDir);
        return { free: bavail * bsize, size: blocks * bsize };
      },
      EVERY,
      time,
    ),
    backup: new Look(async () => (backupDir === undefined ? null : (newestBackup(backupDir)?.at ?? 0)), EVERY, time),
    certificate: new Look(
      async () => (tls === undefined ? null : readCertificates('TLS_CERT', tls.cert).certificate.validToDate.getTime()),
      EVERY,
      time,
    ),
  };
}
