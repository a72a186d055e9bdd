import { Readable } from 'node:stream';
import { Controller, Req, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { Engine, type Time } from '#eventsourcing';
import {
  AllowFor,
  type Call,
  Describe,
  ndjsonRequired,
  NDJSON,
  PostCall,
  remember,
  success,
  TheCall,
  type AnswerOf,
} from '#http';
import { KINDS } from './import-line.js';
import { Importer, MOST_REFUSED_LINES } from './importer.js';

const COUNT = z.int().min(0);
const IMPORTED = success({
  lines: COUNT,
  changed: COUNT,
  unchanged: COUNT,
  refused_count: COUNT.describe('Lines that were refused: whoever imports a file wants none.'),
  refused: z
    .array(
      z.strictObject({
        line: z.int().describe('From 1.'),
        kind: z.enum(KINDS).exactOptional(),
        slug: z.string().exactOptional(),
        reason: z.string(),
      }),
    )
    .max(MOST_REFUSED_LINES)
    .describe('The first lines that were refused, what each is about where it says so, and why.'),
  more_refused: COUNT.optional().describe('How many more were refused; absent where all are told.'),
});
/**
 * Milliseconds between two words on how far it has come, at the least; and the part of the time so far that lies between
 * them: what is told of a long import is kept for repeats, and stays short.
 */
const TELL_EVERY = 500;
const TELL_PART = 0.01;

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
    bodyMeaning:
      'Each line has a `kind` (`region`, `deal`, `partner`, `user`) and what the operators’ call of that kind takes; a deal has its `slug` and may have the `state` that it arrives in, a user has the slug of its `partner`. Such as `{"kind":"partner","slug":"acme","name":"Acme"}`. docs/import.md has all of it.',
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
      throw ndjsonRequired();
    }
    const importer = new Importer(this.engine, this.commands, call.command);
    const { 'content-length': contentLength } = request.headers;
    const length = contentLength === undefined ? undefined : Number(contentLength);
    if (request.headers.accept?.includes(NDJSON) !== true) {
      await importer.run(body, length);
      call.position = importer.position;
      return answerOf(importer);
    }
    const running = importer.run(body, length);
    // Whoever has gone waits for it no longer.
    running.catch(() => undefined);
    // A body without a line is refused as other requests are: before an answer begins.
    await Promise.race([importer.begun, running]);
    void reply.type(NDJSON);
    // Its answer has begun before it is known how far it wrote: what its caller reads next waits for that all the same.
    const ended = (): void => {
      const { position } = importer;
      call.position = position;
      if (position !== undefined) remember(call, position, this.engine.freshness);
    };
    return Readable.from(progressLines(importer, running, ended, this.engine.time));
  }
}

function answerOf({ counts, refused }: Importer): AnswerOf<typeof IMPORTED> {
  const { lines, changed, unchanged } = counts;
  const more = counts.refused - refused.length;
  const answer = { status: 'success', lines, changed, unchanged, refused_count: counts.refused, refused } as const;
  return more === 0 ? answer : { ...answer, more_refused: more };
}

async function* progressLines(
  importer: Importer,
  run: Promise<void>,
  ended: () => void,
  time: Time,
): AsyncGenerator<string> {
  const since = time.monotonic();
  const running = run.then(() => 'ended' as const);
  const next = (): Promise<void> => time.pause(Math.max(TELL_EVERY, TELL_PART * (time.monotonic() - since)));
  while ((await Promise.race([running, next()])) !== 'ended') {
    yield `${JSON.stringify({ progress: importer.counts })}\n`;
  }
  ended();
  yield `${JSON.stringify(answerOf(importer))}\n`;
}
