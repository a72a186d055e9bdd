import { chmodSync, lstatSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { isCluster, sharedEngines } from '../support/cluster.js';
import { newDataDir, RunningService } from '../support/running-service.js';

/** Every file and folder with its mode, the folder itself first. */
function modesIn(folder: string): readonly (readonly [path: string, mode: number])[] {
  const within = readdirSync(folder, { recursive: true, withFileTypes: true });
  return [folder, ...within.map(({ parentPath, name }) => join(parentPath, name))].map(
    (path) => [path, lstatSync(path).mode & 0o777] as const,
  );
}

const open = (folder: string): readonly string[] =>
  modesIn(folder).flatMap(([path, mode]) => ((mode & 0o077) === 0 ? [] : [`${path} ${mode.toString(8)}`]));

const engines = sharedEngines();
const withModes =
  process.platform === 'win32' || (engines !== undefined && isCluster(engines)) ? describe.skip : describe;
/** A file of the service in its folder. */
const OURS = engines === undefined ? 'events.db' : 'state.db';

withModes('G9: a data folder that others could read', () => {
  const dataDir = newDataDir();
  let service: RunningService;
  /** Like some administrators' shells: new files are open to all unless the program closes them. */
  const prefix = ['sh', '-c', 'umask 000; exec "$@"', 'sh'];

  beforeAll(() => chmodSync(dataDir, 0o755));
  afterAll(async () => {
    await service.kill();
    rmSync(dataDir, { recursive: true, force: true });
  });

  it('belongs to its owner alone from the first start on, with every file in it', async () => {
    service = await RunningService.start({ dataDir, prefix, env: { DEMO: 'true' } });
    expect(modesIn(dataDir).length).toBeGreaterThan(20);
    expect(open(dataDir)).toEqual([]);
    await service.prints(`other users could read files of the data folder ${dataDir}`);
    await service.stop();
    expect(open(dataDir)).toEqual([]);
  });

  it('is closed again when its files were opened, and the log names them', async () => {
    for (const [path, mode] of modesIn(dataDir)) chmodSync(path, mode | 0o055);
    service = await RunningService.start({ dataDir, prefix });
    expect(open(dataDir)).toEqual([]);
    for (const name of ['master.key', OURS, 'operator.token', 'views']) {
      await service.prints(`"${name}"`);
    }
    await service.stop();
  });

  it('stays open when others keep files in it too: the service leaves theirs alone and closes its own', async () => {
    mkdirSync(join(dataDir, 'theirs'));
    writeFileSync(join(dataDir, 'theirs', 'notes'), 'x');
    for (const path of [dataDir, join(dataDir, 'theirs'), join(dataDir, OURS)]) chmodSync(path, 0o755);
    service = await RunningService.start({ dataDir, prefix });
    expect(open(dataDir).map((line) => line.slice(dataDir.length))).toEqual([
      ' 755',
      '/theirs 755',
      expect.stringMatching(/^\/theirs\/notes 6/),
    ]);
    await service.stop();
  });
});
