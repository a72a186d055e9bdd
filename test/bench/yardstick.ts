import 'reflect-metadata';
import { Body, Controller, HttpCode, Module, Param, Post, Put } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';

// The bare server that Holdfast is measured against: Nest on Fastify as it comes, without logger, database or checks. It
// takes the same requests and gives answers of the same content, which it is told at its start.
const [reserved, claimed] = process.argv.slice(2).map((answer) => JSON.parse(answer) as object);

@Controller('purchases')
class Purchases {
  @Post('reserve')
  @HttpCode(200)
  reserve(@Body() body: { deal_id: string }): object | undefined {
    return body.deal_id === '' ? undefined : reserved;
  }

  @Put(':id/claim')
  claim(@Param('id') id: string, @Body() body: { user_id: string }): object | undefined {
    return id === '' || body.user_id === '' ? undefined : claimed;
  }
}

@Module({ controllers: [Purchases] })
class Bare {}

// eslint-disable-next-line @typescript-eslint/no-unsafe-class-instance-assignment -- Nest's options are a class by accident
const app = await NestFactory.create<NestFastifyApplication>(Bare, new FastifyAdapter(), { logger: false });
await app.listen(0, '127.0.0.1');
process.stdout.write(`ready at ${await app.getUrl()}\n`);
