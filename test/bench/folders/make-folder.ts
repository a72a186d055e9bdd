import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { EmbeddedLog } from '#adapters/embedded';
import { EventStoreDbLog } from '#adapters/eventstoredb';
import type { EventLog } from '#eventsourcing';
import { DAY } from '#kernel';
import { REGIONS } from '../../campaigns/catalogue/made-up-deals.js';
import { workDone } from '../../support/work-done.js';
import { sharedLogOf } from '../../support/cluster.js';
import { startHoldfast, type Cluster } from '../servers/holdfast.js';
import { fillLog } from './fill-log.js';
import type { FolderNotes, FolderSpec } from './folder-spec.js';

const USERS_TOGETHER = 32;
/** Milliseconds between two looks whether the views are built, which takes minutes for millions of events. */
const LOOK_EVERY = 500;
/** Most of the made-up deals are on sale for longer. */
const GOOD_FOR = 300 * DAY;

/**
 * Makes a data folder: partner, regions and users through the service, everything else in its log.
 * @param cluster what the service runs on; undefined: one process on the embedded engines
 */
export async function makeFolder(
  dataDir: string,
  logs: string,
  spec: FolderSpec,
  progress: (line: string) => void,
  cluster?: Cluster,
): Promise<Omit<FolderNotes, 'build'>> {
  const { service, stop } = await startHoldfast(dataDir, logs, { cluster });
  const partner = await service.newPartner('bench');
  const { username, password } = await service.operate('POST', `/partners/${partner.id}/password`);
  for (const slug of [...REGIONS, 'soldland']) {
    await service.operate('PUT', `/regions/${slug}`, { name: slug, time_zone: 'America/New_York' });
  }
  const users: string[] = [];
  const next = async (): Promise<void> => {
    for (let nth = users.push('') - 1; nth < spec.users; nth = users.push('') - 1) {
      users[nth] = await service.newUser(partner.key, `user${nth}@example.com`);
    }
  };
  await Promise.all(Array.from({ length: USERS_TOGETHER }, next));
  users.length = spec.users;
  await stop();
  await fillLog(await openLog(dataDir, cluster), spec, { partnerId: partner.id, users }, progress);
  await bringUpToDate(dataDir, logs, cluster);
  return { spec, key: partner.key, basic: `${username}:${password}`, users, until: Date.now() + GOOD_FOR };
}

function openLog(dataDir: string, cluster: Cluster | undefined): Promise<EventLog> {
  return cluster === undefined
    ? EmbeddedLog.open({ file: join(dataDir, 'events.db') })
    : EventStoreDbLog.open(sharedLogOf(dataDir, cluster.servers));
}

/** Lets a service build the views of a folder, as far as they are not built. */
export async function bringUpToDate(dataDir: string, logs: string, cluster?: Cluster): Promise<void> {
  const { service, stop } = await startHoldfast(dataDir, logs, { unready: true, cluster });
  const isBuilt = async (): Promise<boolean> => {
    const { status, body } = await service.health();
    return status === 200 && (body.views as { lag: number }[]).every(({ lag }) => lag === 0);
  };
  while (!(await isBuilt())) await pause(LOOK_EVERY);
  if (cluster === undefined) await workDone(service);
  await stop();
}
