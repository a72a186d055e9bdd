import { Readable } from 'node:stream';
import { Controller, Get, Inject, Param, Res } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import type { FastifyReply } from 'fastify';
import { Time } from '#eventsourcing';
import { AllowFor, type Call, Describe, NDJSON, PLAIN_TEXT, read, StreamedAnswers, TheCall } from '#http';
import { Certificate } from './certificate.js';
import { PART_OF_DEAL } from './certificate.parameters.js';
import { EventsOfDeal, type EventsOfDealFound } from './certificate.queries.js';

/** Characters of a piece of an export. */
const PIECE = 65_536;

/** All events of a deal, and the proof that it was never oversold, for auditors (ruling G7.4). */
@AllowFor('auditor')
@Controller('auditors/deals/:slug')
export class CertificateController {
  readonly #answers: StreamedAnswers;

  constructor(
    @Inject(Time) time: Time,
    private readonly queries: QueryBus,
  ) {
    this.#answers = new StreamedAnswers('the events of a deal', time);
  }

  @Describe({
    summary:
      'Proves from the events of a deal that it was never oversold: a text that anybody can make again from its events with `tools/certificate.py`. It ends with `verdict: sound`, or with what breaks a rule. docs/certificate.md explains it. A deal of a million sales takes minutes.',
    parameters: PART_OF_DEAL,
    answer: 'text/plain',
  })
  @Get('certificate')
  async certificate(
    @TheCall() call: Call,
    @Param('slug') slug: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string> {
    const { until } = read(PART_OF_DEAL, call.parameters, 'event');
    const left = this.#answers.begin(reply);
    const found = await this.queries.execute(new EventsOfDeal(slug, until));
    const certificate = new Certificate(found.begin);
    for await (const { line, text } of found.lines(left)) certificate.take(line, text);
    void reply.type(PLAIN_TEXT);
    return certificate.end();
  }

  @Describe({
    summary:
      'Reads all events of a deal, one per line: its own, those of its stock, and those of its reservations, purchases and coupons. docs/certificate.md explains their order. The last line has `end`: without it the answer broke off. Personal data is sealed.',
    parameters: PART_OF_DEAL,
    answer: NDJSON,
  })
  @Get('events')
  async events(
    @TheCall() call: Call,
    @Param('slug') slug: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Readable> {
    const { until } = read(PART_OF_DEAL, call.parameters, 'event');
    const left = this.#answers.begin(reply);
    const found = await this.queries.execute(new EventsOfDeal(slug, until));
    void reply.type(NDJSON);
    return Readable.from(this.#answers.whileTaken(pieces(found, left), reply));
  }
}

/** The lines in pieces that are large enough to send. */
async function* pieces(found: EventsOfDealFound, left: AbortSignal): AsyncGenerator<string> {
  const { begin } = found;
  let piece = `${JSON.stringify(begin)}\n`;
  let events = 0;
  for await (const { line, text } of found.lines(left)) {
    if ('stream' in line) events += 1;
    piece += text;
    if (piece.length < PIECE) continue;
    yield piece;
    piece = '';
  }
  if (!left.aborted) yield `${piece}${JSON.stringify({ end: { position: begin.export.position, events } })}\n`;
}
