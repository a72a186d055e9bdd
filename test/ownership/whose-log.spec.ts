import { copyFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, expect, it } from '@jest/globals';
import { describeAlone } from '../support/alone.js';
import { RunningDouble } from '../support/running-double.js';
import {
  discardLeftovers,
  newDataDir,
  RunningService,
  type Json,
  type TestPartner,
} from '../support/running-service.js';
import { tempFolder } from '../support/temp-folder.js';

// Each case has a server and folders of its own.

describeAlone('whose log it is', () => {
  const folder = tempFolder();
  const file = join(folder.path, 'server');
  const copy = join(folder.path, 'older copy');
  let double: RunningDouble;
  let dataDir: string;
  const services: RunningService[] = [];

  beforeEach(async () => {
    for (const each of [file, copy]) rmSync(each, { force: true });
    double = await RunningDouble.start('--port=0', `--file=${file}`);
    dataDir = newDataDir();
  });
  afterEach(async () => {
    for (const service of services.splice(0)) await service.kill();
    await double.kill();
  });
  afterAll(async () => {
    await discardLeftovers();
    folder.remove();
  });

  const start = async (env: Readonly<Record<string, string>> = {}, of = dataDir): Promise<RunningService> => {
    const options = { EVENTSTORE_URL: double.url, LOG_LEVEL: 'error', ...env };
    const service = await RunningService.start({ dataDir: of, env: options, unready: true });
    services.push(service);
    return service;
  };
  const ready = async (env: Readonly<Record<string, string>> = {}, of = dataDir): Promise<RunningService> => {
    const service = await start(env, of);
    await service.ready();
    return service;
  };
  /** Stops the server, and starts it again at its place with what the file holds then. */
  const restartServer = async (between: () => void = () => undefined): Promise<void> => {
    const port = new URL(double.url.replace('esdb', 'http')).port;
    await double.kill();
    between();
    double = await RunningDouble.start(`--port=${port}`, `--file=${file}`);
  };
  const health = async (service: RunningService): Promise<{ status: number; body: Json }> => {
    const { status, body } = await service.ask('GET', '/health/ready');
    return { status, body };
  };
  /** Waits until the service says that it refuses the log, and returns what it found. */
  const finding = async (service: RunningService): Promise<Json> => {
    for (let tries = 0; tries < 300; tries += 1) {
      const { status, body } = await health(service);
      if (body.findings?.length > 0) {
        expect([status, body.log.state]).toEqual([503, 'refused']);
        expect(body.findings).toHaveLength(1);
        return body.findings[0];
      }
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    throw new Error(`nothing was found: ${JSON.stringify(await health(service))}`);
  };
  /** A folder of an installation that has had a log of its own, elsewhere. */
  const otherInstallation = async (env: Readonly<Record<string, string>> = {}): Promise<string> => {
    const of = newDataDir();
    const other = await ready({ EVENTSTORE_PREFIX: 'elsewhere_', ...env }, of);
    await other.stop();
    return of;
  };
  const shop = async (service: RunningService): Promise<TestPartner> => {
    await service.newDeal('tram', { stock: 10 });
    return service.newPartner('acme');
  };
  const reserve = async (service: RunningService, { key }: TestPartner, units = 1): Promise<number> =>
    (await service.ask('POST', `/purchases/reserve?deal_id=tram&num_bought=${units}`, { key })).status;
  const left = async (service: RunningService, { key }: TestPartner): Promise<number> =>
    (await service.look('/deals/tram?region=testland', key)).body.deal?.num_left;

  it('a new folder on a log is refused, by name, before anything is made', async () => {
    await shop(await ready());
    const of = newDataDir();
    await expect(start({}, of)).rejects.toThrow('the server of EVENTSTORE_URL has an event log');
  }, 60_000);

  it('another installation is refused, by name, and decides nothing, until it takes the log over', async () => {
    const first = await ready();
    const partner = await shop(first);
    const of = await otherInstallation();
    const second = await start({}, of);
    const found = await finding(second);
    expect(found.words).toContain('This is another event log');
    expect(found.words).toContain('belongs to another installation');
    expect(found.words).toContain(`ACCEPT=${found.code}`);
    expect(second.printed).toContain('Holdfast refuses the event log');
    const body = { name: 'Other', slug: 'other' };
    const asked = await second.ask('POST', '/operators/partners', { token: second.operatorToken, body });
    expect(asked.status).toBe(503);
    expect(await reserve(first, partner)).toBe(200);
    await second.stop();
    await first.stop();

    // Not by a code that names something else.
    const again = await finding(await start({ ACCEPT: '0'.repeat(12) }, of));
    await services.pop()?.stop();
    await (await ready({ ACCEPT: again.code }, of)).stop();
    expect((await finding(await start())).words).toContain('belongs to another installation');
  }, 90_000);

  it('an older copy is refused at the start, with what it loses, until an operator accepts it', async () => {
    const service = await ready();
    const partner = await shop(service);
    expect(await reserve(service, partner)).toBe(200);
    await service.stop();
    copyFileSync(file, copy);
    const later = await ready();
    expect(await reserve(later, partner, 3)).toBe(200);
    await later.stop();
    await restartServer(() => copyFileSync(copy, file));

    const refused = await start();
    const found = await finding(refused);
    expect(found.words).toContain('The event log ends before the last event that this installation knows');
    expect(found.words).toContain('later sales');
    expect(found.words).toContain('charges that the log does not know');
    expect(await reserve(refused, partner)).toBe(503);
    await refused.stop();
    expect((await finding(await start())).code).toBe(found.code);
    await services.pop()?.stop();

    const accepted = await ready({ ACCEPT: found.code });
    expect(await left(accepted, partner)).toBe(9);
    expect(await reserve(accepted, partner, 9)).toBe(200);
    await accepted.stop();
    // The setting that was left in place accepts nothing else.
    await restartServer(() => copyFileSync(copy, file));
    expect((await finding(await start({ ACCEPT: found.code }))).code).not.toBe(found.code);
  }, 120_000);

  it('an older copy put back under a running service is refused alike, and views stay as they are', async () => {
    const service = await ready();
    const partner = await shop(service);
    expect(await reserve(service, partner)).toBe(200);
    await service.stop();
    copyFileSync(file, copy);
    const running = await ready();
    expect(await reserve(running, partner, 3)).toBe(200);
    await restartServer(() => copyFileSync(copy, file));
    const found = await finding(running);
    expect(found.words).toContain('The event log ends before the last event that this installation knows');
    expect(await reserve(running, partner)).toBe(503);
    expect(await left(running, partner)).toBe(6);
    await running.stop();
    expect((await finding(await start())).code).toBe(found.code);
    await services.pop()?.stop();
    const accepted = await ready({ ACCEPT: found.code });
    expect(await left(accepted, partner)).toBe(9);
  }, 120_000);

  it('an empty server is refused, at the start and under a running service, and nothing is written to it', async () => {
    const running = await ready();
    const partner = await shop(running);
    await restartServer(() => rmSync(file));
    const found = await finding(running);
    expect(found.words).toContain('an empty event log');
    expect(await reserve(running, partner)).toBe(503);
    await running.stop();
    expect((await finding(await start())).code).toBe(found.code);
    await services.pop()?.stop();
    const begun = await ready({ ACCEPT: found.code });
    // The views of what was lost are gone with it.
    expect((await begun.ask('GET', '/deals/tram?region=testland', { key: partner.key })).status).toBe(401);
    const again = await shop(begun);
    expect(await left(begun, again)).toBe(10);
  }, 120_000);

  it('without EVENTSTORE_PREFIX a server with an unprefixed log is refused, and names the setting', async () => {
    const service = await ready({ EVENTSTORE_PREFIX: '' });
    await service.stop();
    const env = { EVENTSTORE_URL: double.url };
    const refused = RunningService.start({ dataDir: newDataDir(), env, unready: true });
    await expect(refused).rejects.toThrow('set EVENTSTORE_PREFIX=');
    await ready({ EVENTSTORE_PREFIX: '' });
  }, 60_000);

  it('a folder with a log of its own refuses EVENTSTORE_URL, by name', async () => {
    const embedded = await RunningService.start({ dataDir });
    await embedded.stop();
    const refused = RunningService.start({ dataDir, env: { EVENTSTORE_URL: double.url }, unready: true });
    await expect(refused).rejects.toThrow(
      /EVENTSTORE_URL is set, and the data folder .* holds an event log of its own/,
    );
  }, 60_000);

  it('two prefixes of which one begins like the other run beside each other', async () => {
    const [one, other] = [
      await ready({ EVENTSTORE_PREFIX: 'shop_' }),
      await ready({ EVENTSTORE_PREFIX: 'shop_2_' }, newDataDir()),
    ];
    const [ours, theirs] = [await shop(one), await shop(other)];
    expect([await reserve(one, ours, 2), await reserve(other, theirs, 3)]).toEqual([200, 200]);
    expect([await left(one, ours), await left(other, theirs)]).toEqual([8, 7]);
    expect([(await health(one)).status, (await health(other)).status]).toEqual([200, 200]);
  }, 60_000);
});
