import { Controller, Get, Param } from '@nestjs/common';
import { z } from 'zod';
import { type Paging, type ProjectionOrder, Unavailable, type ViewStatus } from '#eventsourcing';
import {
  AllowFor,
  answerList,
  type Call,
  DeleteCall,
  Describe,
  listOf,
  PAGING,
  pagingOf,
  PostCall,
  Refused,
  TheCall,
} from '#http';
import { type DomainError, notFound } from '#kernel';
import { OperatedProjections } from './operated-projections.js';
import { GENERATION, ORDERED, presentGeneration, presentProjection, PROJECTION } from './projections.answer.js';

const unknown = (): DomainError =>
  notFound(
    'no projection has this name, or none of its generations this number: GET /operators/projections lists them',
  );

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
  constructor(private readonly projections: OperatedProjections) {}

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
    const found = this.#views().find((each) => each.view === view);
    if (found === undefined) throw unknown();
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
    summary: 'Makes a stopped projection skip its event.',
    answer: ORDERED,
    refuses: { update_failed: 'the projection has not stopped' },
  })
  @PostCall(':view/skip')
  skip(@TheCall() call: Call, @Param('view') view: string): Promise<object> {
    return this.#order(call, { verb: 'skip', view });
  }

  async #order(call: Call, order: ProjectionOrder): Promise<object> {
    const outcome = await this.projections.order(order);
    if (outcome.kind === 'unknown') throw unknown();
    if (outcome.kind === 'refused') throw new Refused(422, 'update_failed', outcome.reason);
    const { generation } = outcome;
    call.act = { words: DONE[order.verb], of: { view: order.view, generation } };
    return { status: 'success', generation };
  }

  #views(): readonly ViewStatus[] {
    const report = this.projections.report();
    if (report === undefined) throw new Unavailable('no projector has reported yet');
    return report.views;
  }
}

/** @throws DomainError not_found for text that is not a generation's number, as for an unknown generation */
function numberOf(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw unknown();
  return Number(text);
}

function page(name: string, items: readonly object[], { count, page: nth, perPage }: Paging): Promise<object> {
  const found = count ? items.length : items.slice((nth - 1) * perPage, nth * perPage);
  return answerList(found, (shown) => ({ [name]: shown }));
}
