import 'reflect-metadata';
import { readFileSync } from 'node:fs';
import { All, Body, Controller, HttpCode, Module, Req } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Yardsticks } from './rows.js';

// The bare server that Holdfast is measured against: plain Nest on Fastify, without logger, database or checks. It takes the same
// requests and gives answers of the same content, which it reads from a file at its start. A short answer is an object, as a
// handler would return it; a list is prepared text.
const [file = ''] = process.argv.slice(2);
const { objects, texts } = JSON.parse(readFileSync(file, 'utf8')) as Yardsticks;
const ready = new Map(Object.entries(texts));
const parsed = objects.map(({ path, answer }) => ({ path: new RegExp(path), answer: JSON.parse(answer) as object }));

@Controller()
class Bare {
  @All('*')
  @HttpCode(200)
  answer(@Req() { url }: { url: string }, @Body() body: unknown): object | string | undefined {
    const text = ready.get(url);
    if (text !== undefined) return text;
    return body === '' ? undefined : parsed.find(({ path }) => path.test(url))?.answer;
  }
}

@Module({ controllers: [Bare] })
class BareModule {}

// eslint-disable-next-line @typescript-eslint/no-unsafe-class-instance-assignment -- Nest's options are a class by accident
const app = await NestFactory.create<NestFastifyApplication>(BareModule, new FastifyAdapter(), { logger: false });
await app.listen(0, '127.0.0.1');
process.stdout.write(`ready at ${await app.getUrl()}\n`);
