import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { newDataDir, RunningService, type Json } from '../support/running-service.js';

it('G1: a start replaces a missing token file, and warns that the old token works; so operators get in after all were revoked', async () => {
  const dataDir = newDataDir();
  const first = await RunningService.start({ dataDir });
  expect(first.printed).not.toContain('each missing token file has a new token');
  const before = first.operatorToken;
  await first.stop();

  const file = join(dataDir, 'operator.token');
  rmSync(file);
  const second = await RunningService.start({ dataDir });
  const warning = (): string | undefined =>
    second.printed.split('\n').find((each) => each.includes('each missing token file has a new token'));
  await second.prints('each missing token file has a new token');
  const line = warning() ?? '';
  expect(JSON.parse(line)).toMatchObject({ level: 'warn', files: [file] });
  const list = (token: string): Promise<Json> => second.ask('GET', '/operators/tokens', { token });
  expect((await list(before)).status).toBe(200);
  const { tokens } = (await list(second.operatorToken)).body;
  for (const { id, role } of tokens as Json[]) {
    if (role !== 'operator') continue;
    // The last token revokes itself.
    const token = readFileSync(file, 'utf8').trim();
    const revoked = await second.ask('DELETE', `/operators/tokens/${id}`, { token });
    if (revoked.status !== 200) await second.ask('DELETE', `/operators/tokens/${id}`, { token: before });
  }
  expect([(await list(before)).status, (await list(second.operatorToken)).status]).toEqual([401, 401]);
  await second.stop();

  rmSync(file);
  const third = await RunningService.start({ dataDir });
  expect((await third.ask('GET', '/operators/tokens', { token: third.operatorToken })).status).toBe(200);
  await third.discard();
});
