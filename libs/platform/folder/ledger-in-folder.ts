import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { inspectLedger } from '#adapters/sandbox-gateway';
import type { ReadLedger } from '../audit/ledger-audit.js';
import { LEDGER_FILE } from './ledger-file.js';

/** The name of that gateway in events. */
const SANDBOX = 'sandbox';

/** The ledger of a sandbox gateway in a data folder that nobody uses, to be read; undefined if there is none. */
export function ledgerInFolder(dataDir: string): ReadLedger | undefined {
  const file = join(dataDir, LEDGER_FILE);
  if (!existsSync(file)) return undefined;
  const found = inspectLedger(file);
  const { identity } = found ?? {};
  if (found === undefined || identity === undefined) return undefined;
  return {
    gateway: SANDBOX,
    identity: () => Promise.resolve(identity),
    linesAfter(end) {
      const entries = found.lines.map((line) => ({
        kind: line.kind,
        key: line.key,
        charge: line.kind === 'refund' ? line.charge : line.key,
        amount: line.amount,
      }));
      return Promise.resolve({ entries, end, more: false });
    },
  };
}
