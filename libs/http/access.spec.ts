import type { IncomingMessage } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Controller, Get, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { pino } from 'pino';
import { entranceOf } from '../../test/support/entrance.js';
import { PATIENT } from '../../test/support/patient-fastify.js';
import { accessOf, AllowFor } from './access.js';
import { TheCall, type Call } from './call.js';
import { AnswerErrors } from './exception.filter.js';
import { plainPath } from './paths.js';

const CALLER = { kind: 'partner', id: 'p1', name: 'acme', credential: 'v3:p1' } as const;
const REFUSAL = JSON.stringify({
  status: 'error',
  error_type: 'auth_failed',
  error_msg: 'send a valid user name and password by HTTP Basic',
  detail:
    'calls under /api/v3 take the partner’s user name and v3 password, not an api_key: an operator issues both with the key, and can issue a new password',
});

@AllowFor('partner-v3')
@Controller('api/v3/things')
class ThingsController {
  @Get('')
  list(@TheCall() { caller, command, parameters }: Call): object {
    return { caller, actor: command.actor, parameters };
  }
}

describe('A4, 5: a call of generation 3', () => {
  let app: NestFastifyApplication;

  beforeAll(async () => {
    const adapter = new FastifyAdapter({
      ...PATIENT,
      rewriteUrl: (request: IncomingMessage) => plainPath(request.url ?? '/'),
    });
    const server = adapter.getInstance();
    await entranceOf(server, {
      routes: [{ method: 'GET', path: '/api/v3/things', access: accessOf(ThingsController, ThingsController) }],
      partner: (apiKey) => Promise.resolve(apiKey === 'key' ? { ...CALLER, credential: 'k1' } : undefined),
      partnerV3: (username, password) =>
        Promise.resolve(username === 'acme' && password === 'pass:wörd' ? CALLER : undefined),
    });
    @Module({ controllers: [ThingsController] })
    class Things {}
    app = await NestFactory.create<NestFastifyApplication>(Things, adapter, { logger: false, bodyParser: false });
    app.useGlobalFilters(new AnswerErrors(pino({ level: 'silent' })));
    await app.init();
  });
  afterAll(() => app.close());

  const basic = (text: string): string => `Basic ${Buffer.from(text).toString('base64')}`;
  const ask = (url: string, headers: Readonly<Record<string, string>> = {}): ReturnType<typeof app.inject> =>
    app.inject({ method: 'GET', url, headers });

  it('5.3, A1: answers to the user name and password, only under its own prefix, with or without .json', async () => {
    const authorization = basic('acme:pass:wörd');
    for (const path of ['/api/v3/things', '/api/v3/things.json?a=1']) {
      const answer = await ask(path, { authorization });
      expect([answer.statusCode, answer.json()]).toEqual([
        200,
        { caller: CALLER, actor: 'partner:acme', parameters: path.includes('?') ? { a: '1' } : {} },
      ]);
    }
    expect((await ask('/api/v3/things', { authorization: authorization.replace('Basic', 'basic') })).statusCode).toBe(
      200,
    );
    for (const path of ['/v1/api/v3/things', '/api/v1/api/v3/things', '/things', '/v1/things', '/api/v3/api/v3/things'])
      expect([path, (await ask(path, { authorization })).statusCode]).toEqual([path, 404]);
  });

  it.each([
    {},
    { authorization: basic('acme:wrong') },
    { authorization: basic('other:pass:wörd') },
    { authorization: basic('acme') },
    { authorization: basic('acme:') },
    { authorization: basic(':pass:wörd') },
    { authorization: basic('') },
    { authorization: 'Basic' },
    { authorization: 'Basic ***' },
    { authorization: 'Bearer key' },
    { 'x-api-key': 'key' },
  ])('%j is 401, and says how to authenticate', async (headers) => {
    for (const url of ['/api/v3/things', '/api/v3/things?api_key=key']) {
      const answer = await ask(url, headers as Record<string, string>);
      expect([answer.statusCode, answer.body, answer.headers['www-authenticate']]).toEqual([
        401,
        REFUSAL,
        'Basic realm="Holdfast"',
      ]);
    }
  });
});
