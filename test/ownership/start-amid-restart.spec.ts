import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import { RunningDouble } from '../support/running-double.js';
import { RunningService } from '../support/running-service.js';
import { tempFolder } from '../support/temp-folder.js';

// It has opened the log, and makes what a first start makes.
it('a start that meets a restart of EventStoreDB just after the opening becomes ready', async () => {
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
    expect((await service.ask('GET', '/health/ready')).status).toBe(200);
    expect(service.operatorToken).not.toBe('');
  } finally {
    await service.discard();
    await double.kill();
    folder.remove();
  }
});
