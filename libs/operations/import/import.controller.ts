import { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { Controller, Req, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { Engine } from '#eventsourcing';
import { AllowFor, type Call, Describe, PostCall, Refused, success, TheCall, type Shown } from '#http';
import { Importer } from './importer.js';

const NDJSON = 'application/x-ndjson';
const COUNT = z.int().min(0);
const IMPORTED = success({
  lines: COUNT,
  changed: COUNT,
  unchanged: COUNT,
  refused: z.array(z.strictObject({ line: z.int().describe('From 1.'), reason: z.string() })),
});
/** Milliseconds between two words on how far it has come. */
const TELL_EVERY = 500;

/** Brings in regions, deals, partners and users from NDJSON, of any length (ruling G4). */
@AllowFor('operator')
@Controller('operators/import')
export class ImportController {
  constructor(
    private readonly engine: Engine,
    private readonly commands: CommandBus,
  ) {}

  /**
   * Answers with counts and each refused line. A caller who accepts NDJSON is told how far it has come while it runs, one
   * line each time, and the answer as the last one.
   */
  @Describe({
    summary: 'Brings in regions, deals, partners and users, one line of JSON each.',
    body: NDJSON,
    answer: IMPORTED,
  })
  @PostCall('')
  async import(
    @TheCall() call: Call,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<object> {
    const { body } = request;
    if (!(body instanceof Readable)) {
      throw new Refused(415, 'validation_failed', `send lines of JSON as content-type: ${NDJSON}`);
    }
    const importer = new Importer(this.engine, this.commands, call.command);
    if (request.headers.accept?.includes(NDJSON) !== true) {
      await importer.run(body);
      call.position = importer.position;
      return answerOf(importer);
    }
    void reply.type(NDJSON);
    return Readable.from(told(importer, body));
  }
}

function answerOf({ counts, refused }: Importer): Shown<typeof IMPORTED> {
  const { lines, changed, unchanged } = counts;
  return { status: 'success', lines, changed, unchanged, refused };
}

async function* told(importer: Importer, body: Readable): AsyncGenerator<string> {
  const running = importer.run(body).then(() => 'ended' as const);
  while ((await Promise.race([running, pause(TELL_EVERY)])) !== 'ended') {
    yield `${JSON.stringify({ progress: importer.counts })}\n`;
  }
  yield `${JSON.stringify(answerOf(importer))}\n`;
}
