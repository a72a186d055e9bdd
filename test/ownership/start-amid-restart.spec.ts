import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import { RunningDouble } from '../support/running-double.js';
import { RunningService } from '../support/running-service.js';
import { tempFolder } from '../support/temp-folder.js';

// The service has opened the log, and writes what a first start writes.
it('a start becomes ready even when EventStoreDB restarts just after it opened the log', async () => {
  const folder = tempFolder();
  const file = `--file=${join(folder.path, 'events')}`;
  let double = await RunningDouble.start(file);
  const { url } = double;
  const service = await RunningService.start({ env: { EVENTSTORE_URL: url }, unready: true });
  try {
    await double.kill();
    await pause(2_000);
    double = await RunningDouble.start(file, `--port=${new URL(url).port}`);
    await service.ready();
    expect((await service.health()).status).toBe(200);
    expect(service.operatorToken).not.toBe('');
  } finally {
    await service.discard();
    await double.kill();
    folder.remove();
  }
});
