import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, describe, expect, it } from '@jest/globals';
import { readLedger } from '#adapters/sandbox-gateway';
import { HttpSandboxGateway } from '#adapters/sandbox-gateway/http';
import type { ChargeOutcome } from '#purchasing/ports';
import { findIn } from '../../../test/support/canaries.js';
import { RunningSandbox } from '../../../test/support/running-sandbox.js';
import { discardLeftovers, newDataDir } from '../../../test/support/running-service.js';
import { timeWith } from '../../../test/support/time-with.js';

const strace = process.platform === 'linux' && spawnSync('strace', ['-o', '/dev/null', 'true']).status === 0;
const withStrace = strace ? it : it.skip;
if (!strace) {
  process.stderr.write('\nNOT PROVED HERE: that charges are synced before they are answered (no working strace)\n\n');
}

// Windows has no limit of this kind.
const withLimits = process.platform === 'win32' ? it.skip : it;

/** Milliseconds between two looks whether a call was carried out. */
const LOOK_EVERY = 50;

describe('D8: the sandbox gateway as its own process', () => {
  const running: RunningSandbox[] = [];
  const gateways: HttpSandboxGateway[] = [];
  const looks: NodeJS.Timeout[] = [];
  afterEach(async () => {
    for (const look of looks.splice(0)) clearInterval(look);
    await Promise.all(gateways.splice(0).map((gateway) => gateway.close()));
    await Promise.all(running.splice(0).map((sandbox) => sandbox.kill()));
  });
  afterAll(discardLeftovers);

  async function start(options: Parameters<typeof RunningSandbox.start>[0] = {}): Promise<RunningSandbox> {
    const sandbox = await RunningSandbox.start(options);
    running.push(sandbox);
    return sandbox;
  }
  function gatewayTo(sandbox: RunningSandbox, timeout = 10_000): HttpSandboxGateway {
    const gateway = new HttpSandboxGateway(sandbox.url, timeout, 'ours');
    gateways.push(gateway);
    return gateway;
  }
  /**
   * A gateway whose calls are given up so many milliseconds after this was done: on a slow machine, a call that is given up
   * earlier may never reach the sandbox.
   */
  function hastyGatewayTo(sandbox: RunningSandbox, isDone: () => boolean, milliseconds = 500): HttpSandboxGateway {
    const timeout = (): AbortSignal => {
      const late = new AbortController();
      const look = setInterval(() => {
        if (!isDone()) return;
        clearInterval(look);
        setTimeout(() => late.abort(), milliseconds);
      }, LOOK_EVERY);
      looks.push(look);
      return late.signal;
    };
    const gateway = new HttpSandboxGateway(sandbox.url, 1, 'ours', timeWith({ timeout }));
    gateways.push(gateway);
    return gateway;
  }
  /** Whether the ledger has a line with this key. */
  const has = (sandbox: RunningSandbox, key: string): boolean => sandbox.ledger.some((line) => line.key === key);
  const card = (number = '4242424242424242') => ({
    number,
    month: '12',
    year: '2099',
    zip_code: 'ZIP-CANARY',
    verification_value: '937',
  });
  const charge = (gateway: HttpSandboxGateway, key: string, number?: string): Promise<ChargeOutcome> =>
    gateway.charge(key, { amount: 1000, card: card(number) });
  const UNKNOWN = { name: 'GatewayOutcomeUnknown' };

  it('prints where it listens, keeps its ledger across a stop, and ends cleanly', async () => {
    const first = await start();
    expect(first.printed.split('\n', 1)[0]).toBe(
      `The sandbox gateway listens at ${first.url}. Its ledger is ${join(first.dataDir, 'sandbox-gateway.jsonl')}. Stop it with Ctrl-C.`,
    );
    await charge(gatewayTo(first), 'p1', '4000000000000002');
    expect(await first.stop()).toBe(0);
    const second = await start({ dataDir: first.dataDir });
    expect(await charge(gatewayTo(second), 'p1')).toMatchObject({ kind: 'declined', reason: 'the card was declined' });
  });

  it('ends on SIGTERM although a caller waits for an answer, which is then unknown', async () => {
    const sandbox = await start();
    const silent = expect(charge(gatewayTo(sandbox, 60_000), 'p1', '4000000000000119')).rejects.toMatchObject(UNKNOWN);
    while (sandbox.ledger.length === 0) await pause(10);
    expect(await sandbox.stop()).toBe(0);
    await silent;
  });

  it.each([
    ['PORT', '70000', 'PORT must be a port, 0 to 65535'],
    ['DELAY', '-1', 'DELAY must be milliseconds, at most 60000'],
    ['LOSE', '1.5', 'LOSE must be a share of answers, 0 to 1'],
    ['LOSE', '', 'LOSE must be a share of answers, 0 to 1'],
    ['DUPLICATE', 'often', 'DUPLICATE must be a share of requests, 0 to 1'],
  ])('G9: refuses %s=%s by name', async (name, value, message) => {
    await expect(start({ env: { [name]: value } })).rejects.toThrow(`Invalid environment: ${message}.`);
  });

  it('has every charge that was answered before a kill -9 in the ledger, and none twice', async () => {
    const first = await start();
    const gateway = gatewayTo(first);
    const answered: string[] = [];
    const callers = Array.from({ length: 16 }, async (_, caller) => {
      for (let index = 0; ; index += 1) {
        await charge(gateway, `p${caller}-${index}`);
        answered.push(`p${caller}-${index}`);
        if (answered.length === 300) first.child.kill('SIGKILL');
      }
    });
    for (const end of await Promise.allSettled(callers)) expect(end).toMatchObject({ reason: UNKNOWN });
    const kept = first.ledger.map(({ key }) => key);
    expect(answered.length).toBeGreaterThanOrEqual(300);
    expect(kept).toEqual(expect.arrayContaining(answered));
    const again = gatewayTo(await start({ dataDir: first.dataDir }));
    expect(await Promise.all(kept.map((key) => charge(again, key)))).toMatchObject(
      kept.map(() => ({ kind: 'approved' })),
    );
    expect(first.ledger.map(({ key }) => key)).toEqual(kept);
  });

  // A line whose write failed may or may not be there: no answer may say that it was done, nor that it was not.
  withLimits('a write that fails is final for the process; what was answered before it is there', async () => {
    const sandbox = await start({ prefix: ['sh', '-c', 'ulimit -f 4; exec "$@"', 'sh'] });
    const file = join(sandbox.dataDir, 'sandbox-gateway.jsonl');
    // The write that fails leaves a part of its line.
    const gateway = hastyGatewayTo(sandbox, () => !readFileSync(file, 'utf8').endsWith('\n'));
    const answered: string[] = [];
    const one = async (index: number): Promise<void> => {
      await charge(gateway, `p${index}`);
      answered.push(`p${index}`);
    };
    const fill = async (): Promise<void> => {
      for (let index = 0; ; index += 1) await one(index);
    };
    await expect(fill()).rejects.toMatchObject(UNKNOWN);
    expect(answered.length).toBeGreaterThan(5);
    await expect(charge(gateway, 'p0')).rejects.toMatchObject(UNKNOWN);
    await expect(gateway.cancel('later')).rejects.toMatchObject(UNKNOWN);
    await sandbox.kill();
    const again = gatewayTo(await start({ dataDir: sandbox.dataDir }));
    expect(sandbox.ledger.map(({ key }) => key)).toEqual(answered);
    expect(await charge(again, 'later')).toMatchObject({ kind: 'approved' });
  });

  // A kill keeps what the system has in memory; only the order of the calls shows what a power cut would leave.
  withStrace('a charge is written and synced before it is answered', async () => {
    const trace = join(newDataDir(), 'trace');
    const calls = 'trace=write,writev,pwrite64,fdatasync,sendto,sendmsg';
    const prefix = ['strace', '-D', '-f', '-y', '-qq', '-s', '500', '-o', trace, '-e', calls];
    const sandbox = await start({ prefix });
    const gateway = gatewayTo(sandbox);
    for (const key of ['p1', 'p2', 'p3']) await charge(gateway, key);
    await sandbox.stop();
    const steps = readFileSync(trace, 'utf8')
      .split('\n')
      .flatMap((line) => {
        // The line that names the ledger is not a charge.
        if (line.includes('{\\"kind\\":\\"ledger\\"')) return [];
        if (/write.*sandbox-gateway\.jsonl>, "/.test(line)) return ['written'];
        if (/fdatasync\(.*sandbox-gateway\.jsonl>\) += 0/.test(line) || /fdatasync resumed.* = 0/.test(line))
          return ['synced'];
        return line.includes('{\\"kind\\":\\"approved\\"') ? ['answered'] : [];
      });
    expect(steps).toEqual(['p1', 'p2', 'p3'].flatMap(() => ['written', 'synced', 'answered']));
  });

  it('stores only the last four digits of a card in its ledger', async () => {
    const sandbox = await start();
    const number = '4000123456789017';
    await charge(gatewayTo(sandbox), 'p1', number);
    const file = readFileSync(join(sandbox.dataDir, 'sandbox-gateway.jsonl'));
    expect(file.toString()).toContain('"last4":"9017"');
    expect(findIn('ledger', file, { number, zip: 'ZIP-CANARY' })).toEqual([]);
    expect(Object.keys(sandbox.ledger[0] ?? {})).toEqual([
      'kind',
      'key',
      'amount',
      'last4',
      'installation',
      'at',
      'reference',
      'outcome',
    ]);
    expect(sandbox.printed).not.toContain(number);
  });

  it('LOSE: the request is carried out without an answer; the repeat is answered in time', async () => {
    const sandbox = await start({ env: { LOSE: '0.5' } });
    let lost = 0;
    const keys = Array.from({ length: 40 }, (_, index) => `p${index}`);
    const untilKnown = async (key: string): Promise<ChargeOutcome> => {
      const gateway = hastyGatewayTo(sandbox, () => has(sandbox, key));
      for (;;) {
        try {
          return await charge(gateway, key);
        } catch (error) {
          expect(error).toMatchObject(UNKNOWN);
          expect(has(sandbox, key)).toBe(true);
          lost += 1;
        }
      }
    };
    expect(await Promise.all(keys.map(untilKnown))).toMatchObject(keys.map(() => ({ kind: 'approved' })));
    // 40 fair coins without one tail, or with fewer than 5, come once in 10^7 runs.
    expect(lost).toBeGreaterThan(4);
    expect(sandbox.ledger.map(({ key }) => key).toSorted()).toEqual(keys.toSorted());
  });

  it('DUPLICATE: requests that arrive twice are carried out once', async () => {
    const sandbox = await start({ env: { DUPLICATE: '1' } });
    const gateway = gatewayTo(sandbox);
    expect(await charge(gateway, 'p1')).toMatchObject({ kind: 'approved' });
    await gateway.refund('r1', { key: 'p1', amount: 400 });
    expect(await gateway.cancel('p1')).toMatchObject({ amount: 600 });
    expect(sandbox.ledger.map(({ key, amount }) => [key, amount])).toEqual([
      ['p1', 1000],
      ['r1', 400],
      ['p1', 600],
    ]);
    // Its second copy is a repeat: it is charged, but the first caller does not learn that.
    const hasty = hastyGatewayTo(sandbox, () => sandbox.ledger.length === 5);
    await expect(charge(hasty, 'p2', '4000000000000119')).rejects.toMatchObject(UNKNOWN);
    expect(sandbox.ledger.slice(3)).toMatchObject([{ outcome: 'silent' }, { outcome: 'approved' }]);
  });

  it('DELAY: answers take longer, and one beyond the timeout is unknown', async () => {
    const sandbox = await start({ env: { DELAY: '400' } });
    const times = await Promise.all(
      Array.from({ length: 40 }, async (_, index) => {
        const begin = performance.now();
        await charge(gatewayTo(sandbox), `p${index}`);
        return performance.now() - begin;
      }),
    );
    expect(Math.max(...times)).toBeGreaterThan(200);
    const hasty = await Promise.allSettled(
      Array.from({ length: 40 }, (_, index) => {
        const key = `q${index}`;
        return charge(
          hastyGatewayTo(sandbox, () => has(sandbox, key), 100),
          key,
        );
      }),
    );
    expect(hasty.some((end) => end.status === 'rejected')).toBe(true);
    for (const end of hasty) if (end.status === 'rejected') expect(end.reason).toMatchObject(UNKNOWN);
    expect(sandbox.ledger).toHaveLength(80);
  });

  it('leaves the outcome unknown if it is not running', async () => {
    const sandbox = await start();
    const gateway = gatewayTo(sandbox);
    await charge(gateway, 'p1');
    await sandbox.kill();
    for (const _ of [1, 2]) await expect(charge(gateway, 'p2')).rejects.toMatchObject(UNKNOWN);
  });

  it('D7: refuses for good only with its own body: any other answer leaves the outcome unknown, for a cancellation always', async () => {
    let answer: readonly [number, string] = [200, '{}'];
    const other = createServer((_, response) => response.writeHead(answer[0]).end(answer[1]));
    other.listen(0, '127.0.0.1');
    await once(other, 'listening');
    const gateway = new HttpSandboxGateway(`http://127.0.0.1:${(other.address() as AddressInfo).port}`, 10_000, 'ours');
    try {
      const word = '{"error":"no such charge"}';
      for (const status of [400, 422]) {
        answer = [status, word];
        await expect(charge(gateway, 'p1')).rejects.toMatchObject({
          name: 'GatewayRefused',
          message: 'no such charge',
        });
        const refund = gateway.refund('r1', { key: 'p1', amount: 1 });
        await expect(refund).rejects.toMatchObject({ name: 'GatewayRefused' });
        await expect(gateway.cancel('p1')).rejects.toMatchObject(UNKNOWN);
      }
      for (const other of [401, 403, 404, 413, 429, 500, 502] as const) {
        answer = [other, word];
        await expect(charge(gateway, 'p1')).rejects.toMatchObject(UNKNOWN);
      }
      for (const body of ['', '<html>', '{}']) {
        answer = [400, body];
        await expect(charge(gateway, 'p1')).rejects.toMatchObject(UNKNOWN);
      }
    } finally {
      await gateway.close();
      other.close();
    }
  });

  it('does nothing for callers of another ledger, whether they saw the replacement or not', async () => {
    const first = await start();
    const gateway = gatewayTo(first);
    const before = await gateway.identity();
    await charge(gateway, 'p1');
    await first.kill();
    const second = await start({ env: { PORT: new URL(first.url).port } });
    const other = { name: 'OtherLedger' };
    await expect(charge(gateway, 'p2')).rejects.toMatchObject(other);
    await expect(gateway.refund('r1', { key: 'p1', amount: 1 })).rejects.toMatchObject(other);
    await expect(gateway.cancel('p1')).rejects.toMatchObject(other);
    expect(second.ledger).toEqual([]);
    // A caller that asks again means the second gateway.
    expect(await gateway.identity()).not.toBe(before);
    expect(await charge(gateway, 'p2')).toMatchObject({ kind: 'approved' });
    await second.kill();
    await expect(gateway.identity()).rejects.toMatchObject(UNKNOWN);
  });

  it('does nothing for callers that know more than its older copy of the ledger, and says that it is older', async () => {
    const first = await start();
    const gateway = gatewayTo(first);
    await gateway.identity();
    await charge(gateway, 'p1');
    const file = join(first.dataDir, 'sandbox-gateway.jsonl');
    const older = readFileSync(file);
    await charge(gateway, 'p2');
    const known = gateway.mark;
    expect(await gateway.look(known)).toMatchObject({ mark: known, reached: true });
    await first.kill();
    writeFileSync(file, older);
    const env = { PORT: new URL(first.url).port };
    const second = await start({ dataDir: first.dataDir, env });
    const other = { name: 'OtherLedger' };
    await expect(charge(gateway, 'p3')).rejects.toMatchObject(other);
    await expect(gateway.refund('r1', { key: 'p1', amount: 1 })).rejects.toMatchObject(other);
    await expect(gateway.cancel('p1')).rejects.toMatchObject(other);
    expect(second.ledger).toHaveLength(1);
    expect(await gateway.look(known)).toMatchObject({ reached: false });
    // A caller that knows less continues, and from then on the history is another one.
    expect(await charge(gatewayTo(second), 'p9')).toMatchObject({ kind: 'approved' });
    expect(await charge(gatewayTo(second), 'p8')).toMatchObject({ kind: 'approved' });
    expect(await gateway.look(known)).toMatchObject({ reached: false });
  });

  it('answers what it does not understand without repeating it, and does nothing else', async () => {
    const sandbox = await start();
    const ask = (path: string, body: string): Promise<string> =>
      new Promise((resolve, reject) => {
        const asked = request(new URL(path, sandbox.url), { method: 'POST' }, (response) => {
          response.setEncoding('utf8');
          let text = '';
          response.on('data', (chunk: string) => (text += chunk));
          response.on('end', () => resolve(`${response.statusCode} ${text}`));
        });
        asked.on('error', reject);
        asked.end(body);
      });
    const broken = '400 {"error":"the request is broken"}';
    expect(await ask('/charges', `{"key":"p1","amount":1,"card":{"number":"4242"}}`)).toBe(broken);
    expect(await ask('/charges', '{"card":"4242424242424242"')).toBe(broken);
    expect(await ask('/charges', 'x'.repeat(20_000))).toBe(broken);
    expect(await ask('/refunds', '{"key":"r1","charge":"p1","amount":1.5}')).toBe(broken);
    expect(await ask('/cancellations', '[]')).toBe(broken);
    expect(await ask('/nothing', '{}')).toBe('404 {"error":"no such call"}');
    expect(sandbox.ledger).toEqual([]);
  });

  it('LEDGER names another file', async () => {
    const file = join(newDataDir(), 'other.jsonl');
    const sandbox = await start({ env: { LEDGER: file } });
    await charge(gatewayTo(sandbox), 'p1');
    expect(readLedger(file)).toHaveLength(1);
    expect(existsSync(join(sandbox.dataDir, 'sandbox-gateway.jsonl'))).toBe(false);
  });
});
