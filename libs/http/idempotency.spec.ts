import { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Controller, HttpCode, HttpException, Module, Post } from '@nestjs/common';
import { APP_GUARD, NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyReply } from 'fastify';
import { pino } from 'pino';
import { thisMachine } from '#adapters/machine';
import { Keyring, RUNNING_FREES_AFTER, Shown, type Begun, type IdempotencyRecords } from '#eventsourcing';
import { entranceOf } from '../../test/support/entrance.js';
import { PATIENT } from '../../test/support/patient-fastify.js';
import { TheCall, type Call } from './call.js';
import { AnswerErrors } from './exception.filter.js';
import { IdempotencyGuard, keepAnswer, Keeping } from './idempotency.js';

const NOW = 1_800_000_000_000;

/** The work of a request. Each test sets its own. */
const work = { run: (_: Call): Promise<object> => Promise.resolve({ status: 'success' }) };

@Controller('things')
class ThingsController {
  @Post('')
  @HttpCode(200)
  make(@TheCall() call: Call): Promise<object> {
    return work.run(call);
  }
}

describe('A11: a request with an Idempotency-Key', () => {
  let app: NestFastifyApplication;
  /** The calls to the records, in order. */
  let asked: string[];
  let fingerprints: string[];
  let now: number;
  /** How the records keep an answer. */
  let keeping: () => Promise<void>;

  const records: Pick<IdempotencyRecords, 'begin' | 'renew' | 'keep' | 'free'> = {
    begin(_record, fingerprint, commandId) {
      fingerprints.push(fingerprint);
      asked.push('begin');
      return Promise.resolve<Begun>({ kind: 'run', commandId });
    },
    renew: (_, at) => Promise.resolve(void asked.push(`renew ${at - NOW}`)),
    keep: () => keeping(),
    free: () => Promise.resolve(void asked.push('free')),
  };

  beforeEach(async () => {
    [asked, fingerprints, now] = [[], [], NOW];
    keeping = () => Promise.resolve(void asked.push('keep'));
    work.run = () => Promise.resolve({ status: 'success' });
    const engine = {
      ...thisMachine,
      records,
      keyring: Keyring.of(Buffer.alloc(32, 1), thisMachine.randomness),
      clock: { now: () => now },
    };
    const adapter = new FastifyAdapter(PATIENT);
    const server = adapter.getInstance();
    await entranceOf(server, {
      engine,
      routes: [{ method: 'POST', path: '/things', access: 'partner' }],
      partner: () => Promise.resolve({ kind: 'partner', id: 'p1', name: 'acme', credential: 'k1' }),
    });
    @Module({
      controllers: [ThingsController],
      providers: [
        { provide: Keyring, useValue: engine.keyring },
        { provide: Keeping, useValue: new Keeping(engine.records as IdempotencyRecords, engine.clock, engine.time) },
        { provide: APP_GUARD, useClass: IdempotencyGuard },
      ],
    })
    class Things {}
    app = await NestFactory.create<NestFastifyApplication>(Things, adapter, { logger: false, bodyParser: false });
    app.useGlobalFilters(new AnswerErrors(pino({ level: 'silent' })));
    await app.init();
  });
  afterEach(async () => {
    jest.useRealTimers();
    await app.close();
  });

  const send = async (payload: object = {}): Promise<number> =>
    (
      await app.inject({
        method: 'POST',
        url: '/things',
        payload,
        headers: { 'idempotency-key': 'k', 'x-api-key': 'k' },
      })
    ).statusCode;

  it.each([500, 502, 503, 504, 429, 401])(
    'does not keep an answer that is %i: the next try runs again',
    async (status) => {
      work.run = () => Promise.reject(new HttpException('no', status));
      await send();
      expect(asked).toEqual(['begin', 'free']);
    },
  );

  it.each([200, 400, 404, 409, 413, 422])('keeps an answer that is %i', async (status) => {
    work.run = () => (status === 200 ? Promise.resolve({}) : Promise.reject(new HttpException('no', status)));
    await send();
    expect(asked).toEqual(['begin', 'keep']);
  });

  /** Takes a while: an answer that does not wait for it leaves before. */
  const keepSlowly = async (): Promise<void> => {
    await pause(50);
    asked.push('kept');
  };

  // Otherwise a crash in between would let the repeat run a second time, for a caller who has the first answer.
  it('leaves only when it is stored', async () => {
    keeping = keepSlowly;
    await send();
    asked.push('answered');
    expect(asked).toEqual(['begin', 'kept', 'answered']);
  });

  it('is no success if it cannot be stored', async () => {
    keeping = () => Promise.reject(new Error('the disk is full'));
    expect(await send()).toBe(500);
  });

  it('I16: leaves piece by piece, but its last piece only when the whole is stored, which counts as written', async () => {
    const written: number[] = [];
    const command = { meter: { wrote: (bytes: number) => written.push(bytes) } };
    const keepingSlowly = { ...records, keep: keepSlowly } as Partial<IdempotencyRecords> as IdempotencyRecords;
    const by = new Keeping(keepingSlowly, { now: () => now }, thisMachine.time);
    const renewing = thisMachine.time.every(60_000, () => undefined).unref();
    const record = { key: { credential: 'c', key: 'k' }, renewing, content: undefined };
    const call = { record, command, secrets: [], position: undefined, shown: new Shown() } as unknown as Call;
    const reply = { statusCode: 200, getHeader: () => undefined } as unknown as FastifyReply;
    const answer = await keepAnswer(by, call, reply, Readable.from(['one', 'two', 'three']));
    for await (const piece of answer as AsyncIterable<string>) asked.push(piece);
    expect(asked).toEqual(['one', 'two', 'kept', 'three']);
    expect(written).toEqual([expect.any(Number)]);
    expect(written[0]).toBeGreaterThan('onetwothree'.length);
  });

  it('renews its record while it runs, so that no retry takes it for one that a crash cut off', async () => {
    jest.useFakeTimers({ doNotFake: ['setTimeout', 'setImmediate', 'nextTick', 'queueMicrotask', 'performance'] });
    let done = (_: object): void => undefined;
    work.run = () => new Promise((resolve) => (done = resolve));
    const answer = send();
    while (asked.length === 0) await pause(1);
    await pause(20);
    for (let seconds = 1; seconds <= 60; seconds += 1) {
      now += 1_000;
      jest.advanceTimersByTime(1_000);
    }
    const renewals = asked.filter((each) => each.startsWith('renew')).map((each) => Number(each.slice(6)));
    expect(Math.max(...renewals.map((each, index) => each - (renewals[index - 1] ?? 0)))).toBeLessThan(
      RUNNING_FREES_AFTER / 2,
    );
    expect(renewals.at(-1)).toBeGreaterThan(60_000 - RUNNING_FREES_AFTER / 2);
    done({ status: 'success' });
    expect(await answer).toBe(200);
    asked.length = 0;
    jest.advanceTimersByTime(60_000);
    expect(asked).toEqual([]);
  });

  it('is another request if any part that is not secret differs, under any name', async () => {
    const bodies = [
      { partner_data: { pass: 'gold' } },
      { partner_data: { pass: 'silver' } },
      { partner_data: { password: 'gold', api_key: 'a' } },
      { partner_data: { password: 'gold', api_key: 'b' } },
      { user: { partner_data: { pass: 'gold' } } },
      { custom_data: [{ verification_value: '1' }] },
      { custom_data: [{ verification_value: '2' }] },
    ];
    for (const body of bodies) await send(body);
    expect(new Set(fingerprints).size).toBe(bodies.length);
  });

  it('is the same request with any verification value, passwords and API key', async () => {
    for (const secret of ['one', 'two']) {
      await send({
        email: 'ann@example.com',
        api_key: secret,
        verification_value: secret,
        password: secret,
        password_confirmation: secret,
        pass: secret,
        pass_confirmation: secret,
        user: { email: 'ann@example.com', password: secret, pass: secret, pass_confirmation: secret },
        credit_card: { number: '4242', verification_value: secret },
      });
    }
    expect(new Set(fingerprints).size).toBe(1);
  });
});
