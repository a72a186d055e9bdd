import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { isCluster, sharedEngines } from '../support/cluster.js';
import { RefusedStarts } from '../support/refused-starts.js';
import { newDataDir, RunningService } from '../support/running-service.js';
import { tempFolder } from '../support/temp-folder.js';

const engines = sharedEngines();
const alone = process.platform === 'win32' || (engines !== undefined && isCluster(engines)) ? describe.skip : describe;

alone('G9: links in a data folder that others could write to', () => {
  const parent = tempFolder();
  const starts = new RefusedStarts();
  const theirs = join(parent.path, 'theirs');
  beforeAll(() => writeFileSync(theirs, ''));
  afterAll(async () => {
    await starts.end();
    parent.remove();
  });

  it.each(['events.db', 'state.db', 'lock.db', 'master.key', 'operator.token', 'holdfast.json.tmp', 'views', 'outbox'])(
    'stop the start before anything is written: %s',
    async (name) => {
      const dataDir = join(parent.path, `data-${name}`);
      mkdirSync(dataDir, { mode: 0o777 });
      symlinkSync(theirs, join(dataDir, name));
      const said = await starts.saidIn({ PORT: '0', DATA_DIR: dataDir, DEMO: 'false', LOG_LEVEL: 'silent' });
      expect(said).toContain(
        `${join(dataDir, name)} must be a file that the service can read, but it is a link to ${theirs}`,
      );
      expect([readdirSync(dataDir), readFileSync(theirs, 'utf8')]).toEqual([[name], '']);
    },
  );

  it('are followed to the data folder itself, if it belongs to this user', async () => {
    const [dataDir, link] = [newDataDir(), join(parent.path, 'link')];
    symlinkSync(dataDir, link);
    const service = await RunningService.start({ dataDir: link });
    expect(readdirSync(dataDir)).toEqual(expect.arrayContaining(['master.key', 'operator.token']));
    await service.kill();
    rmSync(dataDir, { recursive: true, force: true });
  });
});
