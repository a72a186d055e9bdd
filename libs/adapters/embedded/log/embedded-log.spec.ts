import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from '@jest/globals';
import { EmbeddedLog } from '#adapters/embedded';
import { eventLogContract, type EventLogSubject } from '../../../../test/contracts/event-log.contract.js';

async function openSubject(splitAppends: boolean): Promise<EventLogSubject> {
  const dir = mkdtempSync(join(tmpdir(), 'holdfast-log-'));
  const open = (): Promise<EmbeddedLog> => EmbeddedLog.open({ file: join(dir, 'log.db'), splitAppends });
  let log = await open();
  return {
    get log() {
      return log;
    },
    async reopen() {
      await log.close();
      log = await open();
      return log;
    },
    async close() {
      await log.close();
      rmSync(dir, { recursive: true });
    },
  };
}

eventLogContract('EmbeddedLog', () => openSubject(false));

// One log for all cases, as on a server: each case finds what the others left.
let shared: EventLogSubject | undefined;
afterAll(() => shared?.close());
eventLogContract('EmbeddedLog with a transaction per append', async () => {
  const subject = (shared ??= await openSubject(true));
  return { log: subject.log, reopen: () => subject.reopen(), close: async () => undefined };
});
