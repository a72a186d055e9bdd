import { Readable } from 'node:stream';
import { Controller, Get, Inject, Param, Res } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import type { FastifyReply } from 'fastify';
import { Slices, Time } from '#eventsourcing';
import { AllowFor, type AnswerOf, type Call, Describe, NDJSON, read, StreamedAnswers, TheCall } from '#http';
import { presentEvent } from '../event/event.present.js';
import { EVENTS_OF_STREAM, type LINE_OF_LOG } from './audited-events.answer.js';
import { PART_OF_LOG, PART_OF_STREAM } from './audited-events.parameters.js';
import { EventsOfLog, EventsOfStream } from './audited-events.queries.js';
import type { PartOfLog } from './part-of-log.js';

/** Milliseconds without an event after which a line says how far the log was read. */
const TELL_EVERY = 1_000;

/** The events of one stream, and of the whole log, for auditors (ruling G7). */
@AllowFor('auditor')
@Controller('auditors')
export class AuditedEventsController {
  readonly #answers: StreamedAnswers;

  constructor(
    @Inject(Time) private readonly time: Time,
    private readonly queries: QueryBus,
  ) {
    this.#answers = new StreamedAnswers('the log', time);
  }

  @Describe({
    summary: 'Lists the events of one stream, such as `deal-tram-28`, as the log holds them.',
    parameters: PART_OF_STREAM,
    answer: EVENTS_OF_STREAM,
  })
  @Get('streams/:stream')
  async stream(@TheCall() call: Call, @Param('stream') stream: string): Promise<AnswerOf<typeof EVENTS_OF_STREAM>> {
    const { from = 0, limit = 100 } = read(PART_OF_STREAM, call.parameters, 'event');
    const { events, next = null } = await this.queries.execute(new EventsOfStream(stream, from, limit));
    return { status: 'success', stream, events: events.map(presentEvent), next };
  }

  @Describe({
    summary:
      'Reads the log, up to its end at the time of the call, one event per line. The last line has `end`: without it the answer broke off. `progress` lines tell how far it is. With an actor or a type, hardly any other events are read.',
    parameters: PART_OF_LOG,
    answer: NDJSON,
  })
  @Get('log')
  async log(@TheCall() call: Call, @Res({ passthrough: true }) reply: FastifyReply): Promise<Readable> {
    const { type: types, ...rest } = read(PART_OF_LOG, call.parameters, 'event');
    const left = this.#answers.begin(reply);
    const part = await this.queries.execute(new EventsOfLog({ ...rest, types }));
    void reply.type(NDJSON);
    return Readable.from(this.#answers.whileTaken(linesOf(part, left, this.time), reply));
  }
}

const line = (of: AnswerOf<typeof LINE_OF_LOG>): string => `${JSON.stringify(of)}\n`;

async function* linesOf(part: PartOfLog, left: AbortSignal, time: Time): AsyncGenerator<string> {
  const slices = new Slices(time);
  let [events, read, told] = [0, 0, time.monotonic()];
  for await (const batch of part.read(left)) {
    events += batch.events.length;
    read += batch.read.length;
    let text = batch.events.map((event) => line(presentEvent(event))).join('');
    const position = batch.read.at(-1)?.position.toString();
    if (text === '' && position !== undefined && time.monotonic() - told >= TELL_EVERY)
      text = line({ progress: { position, events, read } });
    if (text !== '') {
      told = time.monotonic();
      yield text;
    }
    if (slices.isOver) await slices.next();
  }
  if (!left.aborted) yield line({ end: { position: part.until.toString(), events, read } });
}
