import { statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { readLedger } from '#adapters/sandbox-gateway';
import { tempFolder } from '../../test/support/temp-folder.js';
import { readConfig } from './config.js';
import type { Engines } from './engines/engines.js';
import { thisMachine } from '#adapters/machine';
import { findingOf, StoreFailed } from '#eventsourcing';
import { ServiceHealth } from './health/service-health.js';
import { openService, type Service } from './service.js';
import { realSurroundings } from './surroundings.js';

describe('the data folder of a service', () => {
  it('G9: is made readable by its owner only, before the key is written to it', async () => {
    const folder = tempFolder();
    const dataDir = join(folder.path, 'not', 'there');
    const service = await openService(
      readConfig({ DATA_DIR: dataDir }),
      pino({ level: 'silent' }),
      realSurroundings(thisMachine),
    );
    await service.close();
    expect([statSync(dataDir).mode & 0o777, statSync(join(dataDir, 'master.key')).mode & 0o777]).toEqual([
      0o700, 0o600,
    ]);
    folder.remove();
  });
});

describe('the start of a service', () => {
  it('checks the log again when it follows it: another one may have taken its place meanwhile', async () => {
    const { folder, config, real } = await startedBefore();
    let replaced = false;
    const service = await openService(config, pino({ level: 'silent' }), {
      ...real,
      openEngines: async (...args) => ofReplacedLog(await real.openEngines(...args), () => replaced),
      // A start waits here for a slow gateway, after its first check of the log.
      openGateway(...args) {
        replaced = true;
        return real.openGateway(...args);
      },
    });
    try {
      await expect(service.guard.passed()).rejects.toThrow('the event log needs an operator');
    } finally {
      await service.close();
      folder.remove();
    }
  });

  it('knows of a stream that was cut earlier, even if a look at it comes while the start waits for the log', async () => {
    const { folder, config, real } = await startedBefore();
    const shared = { ...config, mongoUrl: 'mongodb://127.0.0.1:1/holdfast' };
    const service = await openService(shared, pino({ level: 'silent' }), {
      ...real,
      async openEngines(_, logger, on) {
        const engines = await real.openEngines(config, logger, on);
        await engines.keyValues.insert('streams found', JSON.stringify([{ stream: 'inventory-spa', revision: 0 }]));
        const looked = new AbortController();
        return withLog(engines, () => ({
          async isCut(stream) {
            on.found(findingOf('cut', 'Somebody has set $maxCount', ['$maxCount 1'], stream));
            looked.abort();
            return Promise.resolve(true);
          },
          // The log is slow: a start that looks for persons whose keys are missing waits here.
          async *subscribe(...asked) {
            await thisMachine.time.pause(LOOKS_WITHIN, { signal: looked.signal });
            yield* engines.log.subscribe(...asked);
          },
        }));
      },
    });
    try {
      expect(service.guard.findings).toMatchObject([{ stream: 'inventory-spa' }]);
    } finally {
      await service.close();
      folder.remove();
    }
  });
});

describe('a key store that fails', () => {
  it('ends decisions, because what is written to the log cannot be noted any more, and health asks for a restart', async () => {
    const folder = tempFolder();
    const real = realSurroundings(thisMachine);
    const failing = Promise.withResolvers<Error>();
    const service = await openService(readConfig({ DATA_DIR: folder.path }), pino({ level: 'silent' }), {
      ...real,
      openEngines: async (...args) => ({ ...(await real.openEngines(...args)), failed: failing.promise }),
    });
    try {
      await service.guard.passed();
      failing.resolve(new StoreFailed('the state database failed: disk I/O error'));
      await failing.promise;
      await expect(service.guard.passed()).rejects.toThrow('the event log needs an operator');
      const { ready, findings } = await new ServiceHealth(service).check();
      expect([ready, findings.map(({ message }) => message)]).toEqual([
        false,
        [expect.stringMatching(/disk I\/O error.*restart the service\.$/)],
      ]);
      await expect(service.isRightAgain()).resolves.toBe(false);
    } finally {
      await service.close();
      folder.remove();
    }
  });
});

/** A data folder on which a service has run. */
async function startedBefore() {
  const folder = tempFolder();
  const config = readConfig({ DATA_DIR: folder.path });
  const real = realSurroundings(thisMachine);
  const first = await openService(config, pino({ level: 'silent' }), real);
  await first.close();
  return { folder, config, real };
}

/** A running service looks at streams that other processes have noted more often than this, in milliseconds. */
const LOOKS_WITHIN = 5_000;

/** These engines; from the moment on at which `isReplaced` says so, their log has lost all its events. */
function ofReplacedLog(engines: Engines, isReplaced: () => boolean): Engines {
  const emptied: Partial<Engines['log']> = {
    record: () => Promise.resolve(undefined),
    readStream: () => Promise.resolve([]),
    head: () => Promise.resolve(0n),
    eventAt: () => Promise.resolve(undefined),
  };
  return withLog(engines, () => (isReplaced() ? emptied : {}));
}

/** These engines; `changed` says what their log does differently. */
function withLog(engines: Engines, changed: () => Partial<Engines['log']>): Engines {
  const log = new Proxy(engines.log, {
    get(real, name) {
      const other = changed();
      const from = Reflect.has(other, name) ? other : real;
      const value: unknown = Reflect.get(from, name, from);
      return typeof value === 'function' ? (value as (...args: never[]) => unknown).bind(from) : value;
    },
  });
  return new Proxy(engines, { get: (all, name) => (name === 'log' ? log : (Reflect.get(all, name) as unknown)) });
}

describe('the gateway of a service', () => {
  let folder: ReturnType<typeof tempFolder>;
  let service: Service;
  beforeEach(() => {
    folder = tempFolder();
  });
  afterEach(async () => {
    await service.close();
    folder.remove();
  });

  const charge = (number = '4242424242424242'): Promise<object> =>
    service.gateway.charge('p1', { amount: 700, card: { number, month: '12', year: '2099', zip_code: '02139' } });
  const open = async (environment: Readonly<Record<string, string>> = {}): Promise<void> => {
    const config = readConfig({ DATA_DIR: folder.path, ...environment });
    service = await openService(config, pino({ level: 'silent' }), realSurroundings(thisMachine));
  };

  it('D8: is by default the sandbox in this process, with its ledger in the data folder', async () => {
    await open();
    expect(await charge()).toEqual({ kind: 'approved', reference: 'sandbox-1' });
    expect(readLedger(join(folder.path, 'sandbox-gateway.jsonl'))).toMatchObject([{ key: 'p1', amount: 700 }]);
  });

  it('D8: gives up after the configured time', async () => {
    await open({ GATEWAY_TIMEOUT: '50' });
    const begin = performance.now();
    await expect(charge('4000000000000259')).rejects.toMatchObject({ name: 'GatewayOutcomeUnknown' });
    // By default it is 10 s.
    expect(performance.now() - begin).toBeLessThan(9_500);
  });

  it('D8: is the process in SANDBOX_GATEWAY_URL; the service starts even if nobody listens there', async () => {
    await open({ SANDBOX_GATEWAY_URL: 'http://127.0.0.1:1/' });
    await expect(charge()).rejects.toMatchObject({ name: 'GatewayOutcomeUnknown' });
    expect(readLedger(join(folder.path, 'sandbox-gateway.jsonl'))).toEqual([]);
  });
});

describe('the settings of the gateway', () => {
  it.each([
    [{ SANDBOX_GATEWAY_URL: '' }, 'SANDBOX_GATEWAY_URL must be a URL such as http://127.0.0.1:3900'],
    [{ SANDBOX_GATEWAY_URL: 'ftp://gateway' }, 'SANDBOX_GATEWAY_URL must be a URL such as http://127.0.0.1:3900'],
    [{ GATEWAY_TIMEOUT: '49' }, 'GATEWAY_TIMEOUT must be milliseconds, 50 to 60000'],
    [{ GATEWAY_TIMEOUT: '60001' }, 'GATEWAY_TIMEOUT must be milliseconds, 50 to 60000'],
    [{ GATEWAY_TIMEOUT: 'soon' }, 'GATEWAY_TIMEOUT must be milliseconds, 50 to 60000'],
  ])('G9: %j is refused by name', (environment, message) => {
    expect(() => readConfig(environment)).toThrow(message);
  });

  it('D8: are by default ten seconds, and no other process', () => {
    expect(readConfig({})).toMatchObject({ gatewayTimeout: 10_000, sandboxGatewayUrl: undefined });
    const url = 'http://127.0.0.1:3900/';
    expect(readConfig({ SANDBOX_GATEWAY_URL: url }).sandboxGatewayUrl).toBe('http://127.0.0.1:3900');
  });
});
