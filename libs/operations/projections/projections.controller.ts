import { Readable } from 'node:stream';
import { Controller, Get, Inject, Param, Req, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { z } from 'zod';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Paging, type ProjectionOrder, Time, Unavailable, type ViewStatus } from '#eventsourcing';
import {
  AllowFor,
  answerList,
  type Call,
  DeleteCall,
  Describe,
  listOf,
  NDJSON,
  PAGING,
  pagingOf,
  PostCall,
  read,
  text,
  TheCall,
} from '#http';
import { ComparedViews, type OpenComparison } from './compared-views.js';
import { OperatedProjections } from './operated-projections.js';
import { OrderProjection, unknownProjection } from './projection-order.commands.js';
import {
  COMPARED,
  GENERATION,
  ORDERED,
  presentCompared,
  presentGeneration,
  presentProjection,
  PROJECTION,
} from './projections.answer.js';

/** A position is text, because it may be larger than the exact integers of JSON. */
const SKIPPED = z.object({
  position: text('line')
    .refine((given) => /^\d{1,20}$/.test(given), { error: 'must be the position in `stopped_at`, in digits' })
    .describe('The position of the event, in digits, as `stopped_at` shows it: no other event is skipped.'),
});

/** The log line of each order that was carried out. */
const DONE: Readonly<Record<ProjectionOrder['verb'], string>> = {
  rebuild: 'the rebuild of a view was begun',
  promote: 'a generation of a view was promoted',
  cancel: 'the rebuild of a view was cancelled',
  drop: 'a generation of a view was dropped',
  resume: 'a view tries its event again',
  skip: 'a view skips its event',
};

/** Shows and rebuilds projections (ruling G6). The answers are as new as the projector's last report. */
@AllowFor('operator')
@Controller('operators/projections')
export class ProjectionsController {
  constructor(
    private readonly projections: OperatedProjections,
    private readonly compared: ComparedViews,
    @Inject(Time) private readonly time: Time,
    private readonly commands: CommandBus,
  ) {}

  @Describe({
    summary: 'Lists the projections and their state.',
    parameters: z.object(PAGING),
    answer: listOf('projections', PROJECTION),
  })
  @Get('')
  async list(@TheCall() call: Call): Promise<object> {
    const paging = pagingOf(call.parameters, 'projection');
    return page('projections', this.#views().map(presentProjection), paging);
  }

  @Describe({
    summary: 'Lists the generations of a projection and their state, the oldest first.',
    parameters: z.object(PAGING),
    answer: listOf('generations', GENERATION),
  })
  @Get(':view/generations')
  async generations(@TheCall() call: Call, @Param('view') view: string): Promise<object> {
    const paging = pagingOf(call.parameters, 'generation');
    const found = this.#view(view);
    return page('generations', found.generations.map(presentGeneration), paging);
  }

  @Describe({
    summary: 'Starts to build a generation of a projection beside the live one.',
    answer: ORDERED,
    refuses: { update_failed: 'a generation is being built: wait for it, or cancel it' },
  })
  @PostCall(':view/rebuild')
  rebuild(@TheCall() call: Call, @Param('view') view: string): Promise<object> {
    return this.#order(call, { verb: 'rebuild', view });
  }

  @Describe({
    summary: 'Makes a ready generation the live one, in one step. To go back, promote an older one.',
    answer: ORDERED,
    refuses: { update_failed: 'the generation is not ready' },
  })
  @PostCall(':view/generations/:n/promote')
  promote(@TheCall() call: Call, @Param('view') view: string, @Param('n') n: string): Promise<object> {
    return this.#order(call, { verb: 'promote', view, generation: numberOf(n) });
  }

  @Describe({
    summary:
      'Compares the rows of a ready generation with those of the live one, key by key: how many it adds, removes and changes, with the first ones of each. Texts in rows are not shown. If you accept application/x-ndjson, lines with `progress` come meanwhile, and the answer is the last line.',
    answer: COMPARED,
    refuses: { update_failed: 'generation 2 of coupons is not ready: it is building' },
  })
  @PostCall(':view/generations/:n/compare')
  async compare(
    @Param('view') view: string,
    @Param('n') n: string,
    @Req() { headers }: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<object> {
    const number = numberOf(n);
    const open = this.compared.begin(this.#view(view), number);
    const left = new AbortController();
    reply.raw.once('close', () => left.abort());
    const running = open.comparison
      .run(left.signal)
      .then((found) => presentCompared(view, number, open.live, found))
      .finally(() => open.end());
    if (headers.accept?.includes(NDJSON) !== true) return running;
    void reply.type(NDJSON);
    return Readable.from(linesOf(open, running, this.time));
  }

  @Describe({
    summary: 'Ends a rebuild and drops what it has built. It changes nothing else.',
    answer: ORDERED,
    refuses: { update_failed: 'the generation is not being built' },
  })
  @PostCall(':view/generations/:n/cancel')
  cancel(@TheCall() call: Call, @Param('view') view: string, @Param('n') n: string): Promise<object> {
    return this.#order(call, { verb: 'cancel', view, generation: numberOf(n) });
  }

  @Describe({
    summary: 'Drops a finished generation that is not live.',
    answer: ORDERED,
    refuses: { update_failed: 'the generation is live' },
  })
  @DeleteCall(':view/generations/:n')
  drop(@TheCall() call: Call, @Param('view') view: string, @Param('n') n: string): Promise<object> {
    return this.#order(call, { verb: 'drop', view, generation: numberOf(n) });
  }

  @Describe({
    summary: 'Makes a stopped projection try its event again.',
    answer: ORDERED,
    refuses: { update_failed: 'the projection has not stopped' },
  })
  @PostCall(':view/resume')
  resume(@TheCall() call: Call, @Param('view') view: string): Promise<object> {
    return this.#order(call, { verb: 'resume', view });
  }

  @Describe({
    summary:
      'Makes a stopped projection skip the event at which it has stopped. The log keeps the event, and a rebuild stops at it again.',
    parameters: SKIPPED,
    answer: ORDERED,
    refuses: { update_failed: 'the projection has not stopped' },
    example: { position: '4711' },
  })
  @PostCall(':view/skip')
  async skip(@TheCall() call: Call, @Param('view') view: string): Promise<object> {
    this.#view(view);
    const { position } = read(SKIPPED, call.parameters, 'projection');
    return this.#order(call, { verb: 'skip', view, position });
  }

  async #order(call: Call, order: ProjectionOrder): Promise<object> {
    const { row: generation, position } = await this.commands.execute(new OrderProjection(order, call.command));
    call.position = position;
    call.act = { words: DONE[order.verb], of: { view: order.view, generation } };
    return { status: 'success', generation };
  }

  #view(name: string): ViewStatus {
    const found = this.#views().find(({ view }) => view === name);
    if (found === undefined) throw unknownProjection();
    return found;
  }

  #views(): readonly ViewStatus[] {
    const report = this.projections.report();
    if (report === undefined) throw new Unavailable('no projector has reported yet');
    return report.views;
  }
}

/** Milliseconds between two lines that say how far a comparison is. */
const TELL_EVERY = 250;

async function* linesOf({ comparison }: OpenComparison, running: Promise<object>, time: Time): AsyncGenerator<string> {
  const ended = running.then(
    () => true,
    () => true,
  );
  while (!(await Promise.race([ended, time.pause(TELL_EVERY).then(() => false)])))
    yield `${JSON.stringify({ progress: comparison.progress })}\n`;
  yield `${JSON.stringify(await running)}\n`;
}

/** @throws DomainError not_found for text that is not a generation's number, as for an unknown generation */
function numberOf(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw unknownProjection();
  return Number(text);
}

function page(name: string, items: readonly object[], { count, page: nth, perPage }: Paging): Promise<object> {
  const found = count ? items.length : items.slice((nth - 1) * perPage, nth * perPage);
  return answerList(found, (shown) => ({ [name]: shown }));
}
