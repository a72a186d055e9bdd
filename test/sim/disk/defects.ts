import { basename } from 'node:path';
import type { Operation, Recording } from './operations.js';

/** A defect of the product, planted in a recording: what a build with it would have done. */
export interface Defect {
  readonly name: string;
  /** Whether only a start of the service shows it, or the files alone. */
  readonly needs: 'files' | 'service';
  plant(recording: Recording): Recording;
}

/** A build that leaves out the syncs of some files. */
function without(name: string, needs: Defect['needs'], isLeftOut: (file: string, sync: Sync) => boolean): Defect {
  return {
    name,
    needs,
    plant: (recording) => ({
      ...recording,
      operations: recording.operations.filter((each) => each.kind !== 'sync' || !isLeftOut(basename(each.path), each)),
    }),
  };
}

type Sync = Extract<Operation, { kind: 'sync' }>;

/**
 * A build that answers when it begins the sync of a file, and not when that has returned.
 * @param what the part of an answer that the sync makes durable
 */
function early(name: string, file: string, what: 'position' | 'request'): Defect {
  return {
    name,
    needs: 'files',
    plant(recording) {
      const syncs = recording.operations.filter((each) => each.kind === 'sync' && basename(each.path) === file);
      const operations = recording.operations.flatMap((each) => {
        const last = each.kind === 'told' ? syncs.findLast(({ returned }) => returned < each.began) : undefined;
        if (each.kind !== 'told' || last === undefined) return each;
        const part =
          what === 'position' ? { request: '', position: each.position } : { request: each.request, position: 0n };
        return [{ ...each, ...part, began: last.began }, each];
      });
      return { ...recording, operations: operations.toSorted((a, b) => a.began - b.began) };
    },
  };
}

const isGeneration = (file: string): boolean => /\.g\d+\.db$/.test(file);

/** The ways to lose data that a build could have, one rule of durability each. */
export const DEFECTS: readonly Defect[] = [
  without('the log commits without a sync (synchronous=OFF)', 'files', (file) => file.startsWith('events.db')),
  without('the log syncs its WAL only for checkpoints', 'files', (file) => file === 'events.db-wal'),
  early('the log answers before the sync of its WAL', 'events.db-wal', 'position'),
  without('a checkpoint of the log does not sync the file', 'files', (file) => file === 'events.db'),
  without('the state commits without a sync', 'files', (file) => file === 'state.db-wal'),
  early('the state answers before the sync of its WAL', 'state.db-wal', 'request'),
  without('a checkpoint of the state does not sync the file', 'files', (file) => file === 'state.db'),
  without('nobody syncs a folder', 'files', (_, { file }) => file === undefined),
  without('the ledger answers without a sync', 'service', (file) => file === 'sandbox-gateway.jsonl'),
  without('a file is renamed before its content is synced', 'service', (file) => file.endsWith('.tmp')),
  without('a built view is renamed before its content is synced', 'service', (file) => file.endsWith('.building')),
  without('a checkpoint of a view does not sync its WAL before', 'service', (file) => /\.g\d+\.db-wal$/.test(file)),
  without('a checkpoint of a view does not sync the file', 'service', isGeneration),
];
