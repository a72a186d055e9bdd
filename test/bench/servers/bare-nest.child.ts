import 'reflect-metadata';
import { readFileSync } from 'node:fs';
import { Body, Controller, Get, HttpCode, Module, Post, Put, Req } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyRequest } from 'fastify';
import { pino } from 'pino';

// The bare server that Holdfast is measured against: plain Nest on Fastify, without database or checks. It takes the same
// requests, gives answers of the same content, as an object that Nest serialises, and writes a log line like ours.
const [file = ''] = process.argv.slice(2);
const answers = Object.entries(JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>).map(
  ([path, answer]) => ({ path: new RegExp(path), answer: JSON.parse(answer) as object }),
);

function answerOf(url: string): object {
  const found = answers.find(({ path }) => path.test(url));
  if (found === undefined) throw new Error(`no answer for ${url}`);
  return found.answer;
}

@Controller()
class Bare {
  @Get('*')
  get(@Req() { url }: FastifyRequest): object {
    return answerOf(url);
  }

  @Post('*')
  @HttpCode(200)
  post(@Req() { url }: FastifyRequest, @Body() _body: unknown): object {
    return answerOf(url);
  }

  @Put('*')
  put(@Req() { url }: FastifyRequest, @Body() _body: unknown): object {
    return answerOf(url);
  }
}

@Module({ controllers: [Bare] })
class BareModule {}

const log = pino(
  { base: { program: 'bare', pid: process.pid }, timestamp: pino.stdTimeFunctions.isoTime },
  pino.destination({ dest: 2, sync: false }),
);
const app = await NestFactory.create<NestFastifyApplication>(BareModule, new FastifyAdapter(), { logger: false });
app
  .getHttpAdapter()
  .getInstance()
  .addHook('onRequest', (request, reply, done) => {
    const began = performance.now();
    reply.raw.once('close', () => {
      const line = {
        method: request.method,
        route: request.routeOptions.url,
        status: reply.raw.statusCode,
        duration_ms: Math.round((performance.now() - began) * 1_000) / 1_000,
        request_id: request.id,
        client: 'partner',
        credential: 'k_0123456789abcdef',
        bytes_in: Number(request.headers['content-length'] ?? 0),
        bytes_out: Number(reply.getHeader('content-length')),
      };
      log.info(line, 'request');
    });
    done();
  });
await app.listen(0, '127.0.0.1');
process.stdout.write(`ready at ${await app.getUrl()}\n`);
