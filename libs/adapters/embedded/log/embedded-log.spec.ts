import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmbeddedLog } from '#adapters/embedded';
import { eventLogContract } from '../../../../test/contracts/event-log.contract.js';

for (const splitAppends of [false, true]) {
  eventLogContract(`EmbeddedLog${splitAppends ? ', every append a transaction' : ''}`, async () => {
    const dir = mkdtempSync(join(tmpdir(), 'holdfast-log-'));
    const open = (): Promise<EmbeddedLog> => EmbeddedLog.open({ file: join(dir, 'log.db'), splitAppends });
    let log = await open();
    return {
      log,
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
  });
}
