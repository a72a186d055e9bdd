import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { runCommandLine } from '#command-line';
import { readFolder } from '#platform';
import { buy, reserve } from '../support/buying.js';
import { eventsOf } from '../support/data-folder.js';
import { RunningService, type Json } from '../support/running-service.js';
import { tempFolder } from '../support/temp-folder.js';

describe('I18: the command line without a service', () => {
  let service: RunningService;
  let bought: Json;
  let user: string;
  const copy = tempFolder();
  // Reading a folder changes the mode of new files in the whole process.
  const umask = process.umask(0o022);

  beforeAll(async () => {
    service = await RunningService.start();
    const acme = await service.newPartner('acme');
    await service.newDeal('lunch', { stock: 10 });
    user = await service.newUser(acme.key, 'grace@example.com', { first_name: 'Grace', last_name: 'Hopper' });
    bought = await buy(service, acme.key, 'lunch', user);
    await reserve(service, acme.key, 'lunch', 2);
    await service.operate('GET', `/users/${user}`);
    await service.stop();
    cpSync(service.dataDir, copy.path, { recursive: true });
  });
  afterAll(async () => {
    process.umask(umask);
    copy.remove();
    await service.discard();
  });

  interface Ran {
    readonly code: number;
    readonly out: string;
    readonly err: string;
  }

  /** Runs a command on the folder of the service that was stopped. */
  async function run(line: string, dataDir = service.dataDir): Promise<Ran> {
    const ran = { out: '', err: '' };
    const spies = (['out', 'err'] as const).map((name) =>
      jest.spyOn(process[`std${name}`], 'write').mockImplementation((piece) => {
        ran[name] += String(piece);
        return true;
      }),
    );
    // Something may listen at the default address of a service.
    const fetched = jest.spyOn(globalThis, 'fetch').mockImplementationOnce(() => {
      throw Object.assign(new TypeError('fetch failed'), { cause: { code: 'ECONNREFUSED' } });
    });
    const environment = { DATA_DIR: dataDir };
    const code = await runCommandLine(line.split(' '), environment, {
      openFolder: (waiting) => readFolder(environment, waiting),
    });
    for (const spy of [...spies, fetched]) spy.mockRestore();
    return { code, ...ran };
  }
  const read = async (line: string): Promise<Json> => {
    const { code, out } = await run(`${line} --json`);
    expect(code).toBe(0);
    return JSON.parse(out);
  };

  it('I18 G8.1: reads deals with their units, sales, open holds and events, and says that no service runs', async () => {
    const { code, out, err } = await run('deals show lunch');
    expect([code, err]).toEqual([0, expect.stringContaining('No service runs: this is what its data folder has.')]);
    expect(out).toMatch(/^held +2$/m);
    expect((await read('coupons list')).coupons.map(({ id }: Json) => id)).toEqual([bought.coupons[0].id]);
    expect((await read('reservations list --partner acme')).reservations).toHaveLength(1);
    expect((await read(`find ${bought.coupons[0].barcode}`)).found[0].id).toBe(bought.coupons[0].id);
    expect((await read('deals ledger lunch')).entries.length).toBeGreaterThan(3);
    expect((await read('events stream deal-lunch')).events[0].type).toBe('deal-created.v1');
  });

  it('G7.10: verifies its log, and the ledger of its gateway', async () => {
    const { code, out } = await run('verify');
    expect([code, out]).toEqual([
      0,
      expect.stringMatching(/^Checked \d+ events .* lines of the gateway’s ledger.*\nThe log is sound\.\n$/),
    ]);
  });

  it('opens no person’s data, because nobody could see who has read it', async () => {
    expect((await read('users list')).users).toEqual([expect.objectContaining({ id: user, name: null, email: null })]);
    for (const line of [`users show ${user}`, 'find grace@example.com']) {
      const { code, out, err } = await run(line);
      expect([code, out]).toEqual([3, '']);
      expect(err).toContain('no service runs');
    }
    // Health is that of a service.
    expect(await run('health show')).toMatchObject({ code: 3, err: expect.stringContaining('Is it running?') });
  });

  it('writes nothing: not by a command that writes, and nothing by reading', async () => {
    const before = (await eventsOf(service.dataDir)).length;
    const manifest = readFileSync(join(service.dataDir, 'holdfast.json'), 'utf8');
    const { code, err } = await run('deals stock lunch --units 3');
    expect([code, err]).toEqual([3, expect.stringContaining('Is it running?')]);
    await run('deals list');
    expect(await eventsOf(service.dataDir)).toHaveLength(before);
    expect(readFileSync(join(service.dataDir, 'holdfast.json'), 'utf8')).toBe(manifest);
  });

  it('refuses a folder that a service uses, and has nothing where there is none', async () => {
    const running = await RunningService.start({ dataDir: copy.path });
    const { code, err } = await run('deals list', copy.path);
    expect([code, err]).toEqual([
      3,
      expect.stringContaining('uses the data folder. Name the address of the service with --url'),
    ]);
    await running.stop();
    const waiting = { tell: () => undefined, interrupted: AbortSignal.abort() };
    expect(await readFolder({ DATA_DIR: join(copy.path, 'nothing') }, waiting)).toBeUndefined();
    expect(await readFolder({ DATA_DIR: copy.path, REDIS_URL: 'redis://127.0.0.1:1' }, waiting)).toBeUndefined();
    // Whoever waits no longer leaves the folder free.
    await expect(readFolder({ DATA_DIR: copy.path }, waiting)).rejects.toThrow('aborted');
    expect((await run('deals list', copy.path)).code).toBe(0);
  });
});
