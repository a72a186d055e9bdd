import { Readable } from 'node:stream';
import { Controller, Get, Inject, type OnModuleDestroy, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { copyState, type StateNews } from '#backup';
import { Time } from '#eventsourcing';
import {
  AllowFor,
  type Call,
  boolean,
  Describe,
  NDJSON,
  optional,
  read,
  Refused,
  StreamedAnswers,
  TheCall,
} from '#http';
import { CopiedParts } from './copied-parts.js';

/** Which rows to send. */
const WHICH = z.object({
  follow: optional(boolean()).describe('`true`: what changes follows, until the caller leaves.'),
});

const FOR_OPERATORS = 'this call is for operators; your token is an auditor’s';
const ON_SERVERS =
  'this service keeps nothing in its data folder: `holdfast backup` reads the servers that its settings name';

/** What a service keeps beside its log, for a backup of it: only the service itself can read that file. */
@AllowFor('operator')
@Controller('operators/backup')
export class BackupStateController implements OnModuleDestroy {
  readonly #answers: StreamedAnswers;
  readonly #ending = new AbortController();

  constructor(
    @Inject(Time) private readonly time: Time,
    private readonly parts: CopiedParts,
  ) {
    this.#answers = new StreamedAnswers('what a backup needs', time);
  }

  /** A stop waits for calls, and one that follows would never end. */
  onModuleDestroy(): void {
    this.#ending.abort();
  }

  @Describe({
    summary:
      'What the service keeps beside its log, as it is stored: sealed keys, sealed secrets of the vault, kept answers and entries, a row per line. `upto` says that the lines before it cover the log up to this position. The last line has `end`. `holdfast backup` makes this call.',
    parameters: WHICH,
    answer: NDJSON,
  })
  @Get('state')
  state(@TheCall() call: Call, @Res({ passthrough: true }) reply: FastifyReply): Readable {
    const { follow = false } = read(WHICH, call.parameters, 'backup');
    // Auditors may read what operators may, but not what is sealed.
    if (call.caller.kind !== 'operator' || call.caller.role !== 'operator')
      throw new Refused(403, 'auth_failed', FOR_OPERATORS);
    const { rows, head } = this.parts;
    if (rows === undefined) throw new Refused(422, 'validation_failed', ON_SERVERS);
    const signal = AbortSignal.any([this.#answers.begin(reply), this.#ending.signal]);
    void reply.type(NDJSON);
    const news = copyState(rows, head, { follow, signal, time: this.time });
    return Readable.from(this.#answers.whileTaken(textOf(news), reply));
  }
}

/** Characters that are sent together. */
const TOGETHER = 64 * 1024;

async function* textOf(news: AsyncIterable<StateNews>): AsyncGenerator<string> {
  let text = '';
  let position: string | undefined;
  for await (const each of news) {
    text += `${JSON.stringify(each)}\n`;
    if ('upto' in each) position = each.upto;
    else if (text.length < TOGETHER) continue;
    yield text;
    text = '';
  }
  if (position !== undefined) yield `${text}${JSON.stringify({ end: { position } })}\n`;
}
