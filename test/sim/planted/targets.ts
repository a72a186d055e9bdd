import { globSync } from 'node:fs';
import { join } from 'node:path';

/** A part of the product whose conditions and guards are changed. */
export type Area = 'deciders' | 'command loop' | 'runners' | 'followers' | 'idempotency' | 'mail' | 'projector';

/** Glob patterns of the source files of each area, from the root of the tree. A file belongs to the first area that has it. */
const PATTERNS: Readonly<Record<Area, readonly string[]>> = {
  followers: [
    'libs/*/followers.ts',
    'libs/eventsourcing/work/followers*.ts',
    'libs/eventsourcing/work/write-missing-followers.ts',
    'libs/purchasing/complete-missing.ts',
  ],
  mail: [
    'libs/mailing/{hand-over,tries.rules}.ts',
    'libs/mailing/batch/{batch-delivery,batch-recipients,delivery.rules}.ts',
    'libs/mailing/{confirmation,daily-update,subscription-mail}/*-{delivery,maker}.ts',
    'libs/mailing/daily-update/daily-update.ts',
    'libs/mailing/schedule/schedule-day.ts',
  ],
  deciders: [
    'libs/*/*/*.decider.ts',
    // What deciders take from files beside them.
    'libs/*/*/*.{state,rules}.ts',
    'libs/purchasing/inventory/units.ts',
  ],
  'command loop': ['libs/eventsourcing/command-loop/*.ts'],
  runners: ['libs/eventsourcing/work/*.ts', 'libs/*/*/*.work.ts', 'libs/purchasing/checkout/{charging,outcome}.ts'],
  idempotency: ['libs/http/idempotency.ts'],
  projector: [
    'libs/eventsourcing/projections/*.ts',
    'libs/eventsourcing/{events/log-follower,findings/view-ahead-of-log,use-case/freshness}.ts',
  ],
};

/**
 * The files to change, with their areas, in a fixed order.
 * @param root the root of the tree
 */
export function targets(root: string): ReadonlyMap<string, Area> {
  const areas = new Map<string, Area>();
  for (const [area, patterns] of Object.entries(PATTERNS) as [Area, readonly string[]][]) {
    for (const file of globSync([...patterns], { cwd: root }).map((each) => each.replaceAll('\\', '/'))) {
      if (!file.endsWith('.spec.ts') && !areas.has(file)) areas.set(file, area);
    }
  }
  return new Map([...areas].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** The root of the tree of these compiled files, which are in `dist/test/sim/planted`. */
export const ROOT = join(import.meta.dirname, '../../../..');
