import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { BullMqTimers } from '#adapters/bullmq';
import { SteppableClock } from '#eventsourcing';
import { MadeUpWork, until } from '../../../test/contracts/work-timers.contract.js';
import { REDIS, REDIS_SHOWN, TestRedis } from '../../../test/support/redis.js';

(REDIS === 'own' ? describe : describe.skip)(`Redis that is emptied or away, on ${REDIS_SHOWN}`, () => {
  let redis: TestRedis;
  let clock: SteppableClock;
  let work: MadeUpWork;
  let timers: BullMqTimers;
  let errors: unknown[];
  let warnings: string[];
  const open = (url = redis.url): Promise<BullMqTimers> =>
    BullMqTimers.open({
      url,
      prefix: redis.prefix,
      clock,
      lists: ['holds', 'takeovers'],
      onError: (error) => errors.push(error),
      away: (message) => warnings.push(message),
      warn: (message) => warnings.push(message),
    });

  beforeEach(async () => {
    redis = await TestRedis.own();
    clock = new SteppableClock(Date.now);
    work = new MadeUpWork(clock);
    errors = [];
    warnings = [];
    timers = await open();
  });
  afterEach(async () => {
    await timers.close();
    await redis.end();
  });
  const write = (key: string, after: number): void => {
    timers.noticed('holds', [work.open('holds', key, clock.now() + after)]);
  };

  it('an empty Redis heals by itself: due rows are found in the views', async () => {
    timers.start(work);
    for (let n = 0; n < 100; n += 1) write(`r${n}`, 1_000);
    await sleep(200);
    await redis.flushAll();
    await until(() => work.size === 0);
    expect(work.runs).toHaveLength(100);
  });

  it('a reported error contains no command, because a login’s command has the password', async () => {
    const command = { name: 'auth', args: ['a password'] };
    work.looking = () => Promise.reject(Object.assign(new Error('WRONGPASS'), { command }));
    timers.start(work);
    await until(() => errors.length > 0);
    expect([errors[0], Object.keys(errors[0] as object)]).toEqual([new Error('WRONGPASS'), []]);
  });

  it('emptying Redis while a row runs costs only a job', async () => {
    const { promise: emptied, resolve: goOn } = Promise.withResolvers<undefined>();
    work.doing = async () => (await emptied, 'closes');
    timers.start(work);
    write('r1', 0);
    await until(() => work.runs.length === 1);
    await redis.flushAll();
    goOn(undefined);
    await until(() => work.size === 0);
    write('r2', 0);
    await until(() => work.size === 0);
  });

  it('while Redis is away work waits; due rows run when it is back', async () => {
    timers.start(work);
    write('before', 300_000);
    await sleep(200);
    await redis.stop('SIGKILL');
    await until(() => warnings.length === 1);
    clock.follow(300_000);
    for (let n = 0; n < 20_000; n += 1) write(`during ${n}`, n < 200 ? 0 : 300_000);
    timers.clockMoved();
    expect(await timers.tried('holds', ['before'])).toBeUndefined();
    await sleep(2_500);
    expect(work.runs).toEqual([]);
    await redis.startAgain();
    await until(() => work.runs.length === 201);
    // Rows noticed meanwhile were dropped, not kept: the sweep finds them when they are due.
    expect(await timers.queues[0]?.getJobCounts('delayed')).toEqual({ delayed: expect.any(Number) });
    expect(((await timers.queues[0]?.getJobCounts('delayed')) ?? {})['delayed']).toBeLessThan(1_000);
    expect(warnings).toEqual([expect.stringContaining('does not answer'), expect.stringContaining('answers again')]);
    expect(errors).toEqual([]);
  });

  it('if Redis goes away while a row runs, that row is done, and the others when it is back', async () => {
    const { promise: stopped, resolve: goOn } = Promise.withResolvers<undefined>();
    work.doing = async () => (await stopped, 'closes');
    timers.start(work);
    write('under way', 0);
    await until(() => work.runs.length === 1);
    await redis.stop();
    goOn(undefined);
    await until(() => work.size === 0);
    write('next', 0);
    await redis.startAgain();
    await until(() => work.size === 0);
    expect(work.runs).toEqual(['holds/under way', 'holds/next']);
  });

  it('a process whose Redis is away reports that once, lives, and ends on request', async () => {
    const child = spawn(process.execPath, [resolve('dist/test/support/row-worker.child.js'), redis.url, 'other']);
    const lines: string[] = [];
    createInterface({ input: child.stdout }).on('line', (line) => lines.push(line));
    createInterface({ input: child.stderr }).on('line', (line) => lines.push(line));
    const exit = once(child, 'exit');
    await until(() => lines.includes('running r1'));
    await redis.stop('SIGKILL');
    await until(() => lines.some((line) => line.includes('does not answer')));
    const before = lines.length;
    await sleep(3_000);
    expect(lines.slice(before)).toEqual([]);
    child.kill('SIGTERM');
    expect(await exit).toEqual([0, null]);
    expect(lines.slice(before)).toEqual(['closed']);
  });

  it('does not start without Redis, and names the setting without its password', async () => {
    const message = async (url: string): Promise<string> => {
      try {
        await (await open(url)).close();
        return 'it opened';
      } catch (error) {
        return (error as Error).message;
      }
    };
    const away = await message('redis://me:s3cret@127.0.0.1:1');
    expect(away).toContain('REDIS_URL');
    expect(away).toContain('ECONNREFUSED');
    expect(away).toContain('127.0.0.1:1');
    expect(away).not.toContain('s3cret');
    expect(await message('localhost')).toContain('REDIS_URL');
    const locked = await TestRedis.own('--requirepass', 'right');
    const refused = await message(locked.url.replace('//', '//:s3cret@'));
    expect(refused).toContain('WRONGPASS');
    expect(refused).not.toContain('s3cret');
    expect(await message(locked.url.replace('//', '//:right@'))).toBe('it opened');
    await locked.end();
  });

  it('warns once about a Redis that drops keys when it is full', async () => {
    const forgetful = await TestRedis.own('--maxmemory-policy', 'allkeys-lru');
    await (await open(forgetful.url)).close();
    expect(warnings).toEqual([expect.stringContaining('noeviction')]);
    await forgetful.end();
  });
});
