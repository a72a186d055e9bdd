import { randomBytes } from 'node:crypto';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, expect, it } from '@jest/globals';
import { describeOnEmbedded } from '../support/on-embedded.js';
import { holdfast } from '../support/backups.js';
import { type Answer, discardLeftovers, type Json, newDataDir, RunningService } from '../support/running-service.js';

describeOnEmbedded('G14: the keys of the installation', () => {
  const dataDir = newDataDir();
  const next = join(dataDir, 'master.key.next');
  const [oldKey, newKey] = [randomBytes(32).toString('hex'), randomBytes(32).toString('hex')];
  let service: RunningService;
  afterAll(async () => {
    await service.stop();
    await discardLeftovers();
  });

  const start = async (MASTER_KEY: string): Promise<void> => {
    service = await RunningService.start({ dataDir, env: { MASTER_KEY } });
  };
  const rotate = (key: string, token = service.operatorToken): Promise<Answer> =>
    service.ask('POST', `/operators/keys/${key}/rotate`, { token, body: { reason: 'a test' } });
  const keyNamed = async (name: string): Promise<Json> =>
    (await service.operate('GET', '/keys')).keys.find(({ key }: Json) => key === name);
  const untilEnded = async (name: string): Promise<void> => {
    while ((await keyNamed(name)).rotation !== null) await pause(20);
  };

  it('are listed for auditors, without a secret, and only operators rotate them', async () => {
    await start(oldKey);
    const listed = await service.ask('GET', '/operators/keys', { token: service.auditorToken });
    expect(listed.body.keys.map(({ key, older, since, rotation }: Json) => [key, older, since, rotation])).toEqual(
      ['master', 'data', 'urls', 'hash'].map((key) => [key, [], null, null]),
    );
    expect(listed.text).not.toContain(oldKey);
    expect((await rotate('data', service.auditorToken)).status).toBe(403);
  });

  it('are rotated by name: the hash key never, and none that does not exist', async () => {
    const never = await rotate('hash');
    expect([never.status, never.text]).toEqual([422, expect.stringContaining('the hash key is never rotated')]);
    expect((await rotate('nothing')).status).toBe(404);
    expect((await rotate('urls')).status).toBe(200);
    await untilEnded('urls');
    const { older, since } = await keyNamed('urls');
    expect([older.length, since]).toEqual([1, expect.any(String)]);
    const log = await service.ask('GET', '/auditors/streams/serviceKey-service', { token: service.auditorToken });
    expect(log.body.events.map(({ type, metadata, actor }: Json) => [type, metadata?.actor ?? actor])).toEqual([
      ['key-rotation-begun.v1', 'operator:operator'],
      ['key-rotation-ended.v1', 'system:keys'],
    ]);
  });

  it('a master key in the settings is handed over in a file, and both open the keys until a start has the new one', async () => {
    const refused = await rotate('master');
    expect([refused.status, refused.text]).toEqual([422, expect.stringContaining(`write the new key to ${next}`)]);
    writeFileSync(next, oldKey);
    expect((await rotate('master')).text).toContain('holds the present master key');
    writeFileSync(next, 'no key');
    expect((await rotate('master')).text).toContain('64 hexadecimal characters');
    writeFileSync(next, newKey);
    expect((await rotate('master')).status).toBe(200);
    while ((await keyNamed('master')).rotation?.state !== 'waiting') await pause(20);
    expect((await keyNamed('master')).rotation.waits_for).toContain('set MASTER_KEY');
    expect((await rotate('data')).text).toContain('a rotation of master is under way');
    await service.stop();
    // Whoever restarts it before they have changed the settings loses nothing.
    await start(oldKey);
    await service.stop();
    await start(newKey);
    await untilEnded('master');
    expect(existsSync(next)).toBe(false);
    expect((await rotate('data')).status).toBe(200);
    await untilEnded('data');
    await service.stop();
    const { out } = await holdfast(['doctor', '--json'], { DATA_DIR: dataDir, MASTER_KEY: oldKey });
    expect(out).toContain('After a rotation of the master key, that is the new one');
    await start(newKey);
    await service.newPartner('acme');
  });
});
