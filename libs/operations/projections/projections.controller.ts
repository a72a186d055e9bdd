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

/** Rebuilding projections, and where they stand (ruling G6). What is told is as new as the projector's last word. */
@AllowFor('operator')
@Controller('operators/projections')
export class ProjectionsController {
  constructor(private readonly projections: OperatedProjections) {}

  @Describe({
    summary: 'Tells where each projection stands.',
    parameters: z.object(PAGING),
    answer: listOf('projections', PROJECTION),
  })
  @Get('')
  async list(@TheCall() call: Call): Promise<object> {
    const paging = pagingOf(call.parameters, 'projection');
    return page('projections', this.#views().map(presentProjection), paging);
  }

  @Describe({
    summary: 'Tells where the generations of a projection stand, the oldest first.',
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
    summary: 'Begins to build a generation of a projection beside the live one.',
    answer: ORDERED,
    refuses: { update_failed: 'a generation is being built: wait for it, or cancel it' },
  })
  @PostCall(':view/rebuild')
  rebuild(@Param('view') view: string): Promise<object> {
    return this.#order({ verb: 'rebuild', view });
  }

  @Describe({
    summary: 'Makes a generation that is ready the live one, in one step; an older one, too, which is how to go back.',
    answer: ORDERED,
    refuses: { update_failed: 'the generation is not ready' },
  })
  @PostCall(':view/generations/:n/promote')
  promote(@Param('view') view: string, @Param('n') n: string): Promise<object> {
    return this.#order({ verb: 'promote', view, generation: numberOf(n) });
  }

  @Describe({
    summary: 'Ends a rebuild and drops what it has built. It changes nothing else.',
    answer: ORDERED,
    refuses: { update_failed: 'the generation is not being built' },
  })
  @PostCall(':view/generations/:n/cancel')
  cancel(@Param('view') view: string, @Param('n') n: string): Promise<object> {
    return this.#order({ verb: 'cancel', view, generation: numberOf(n) });
  }

  @Describe({
    summary: 'Drops a generation that is built and not live.',
    answer: ORDERED,
    refuses: { update_failed: 'the generation is live' },
  })
  @DeleteCall(':view/generations/:n')
  drop(@Param('view') view: string, @Param('n') n: string): Promise<object> {
    return this.#order({ verb: 'drop', view, generation: numberOf(n) });
  }

  @Describe({
    summary: 'Lets a projection that has stopped try its event again.',
    answer: ORDERED,
    refuses: { update_failed: 'the projection has not stopped' },
  })
  @PostCall(':view/resume')
  resume(@Param('view') view: string): Promise<object> {
    return this.#order({ verb: 'resume', view });
  }

  @Describe({
    summary: 'Lets a projection that has stopped go on behind its event, as if that did not concern it.',
    answer: ORDERED,
    refuses: { update_failed: 'the projection has not stopped' },
  })
  @PostCall(':view/skip')
  skip(@Param('view') view: string): Promise<object> {
    return this.#order({ verb: 'skip', view });
  }

  async #order(order: ProjectionOrder): Promise<object> {
    const outcome = await this.projections.order(order);
    if (outcome.kind === 'unknown') throw unknown();
    if (outcome.kind === 'refused') throw new Refused(422, 'update_failed', outcome.reason);
    return { status: 'success', generation: outcome.generation };
  }

  #views(): readonly ViewStatus[] {
    const report = this.projections.report();
    if (report === undefined) throw new Unavailable('no projector has told anything yet');
    return report.views;
  }
}

/** @throws Refused for what is no number of a generation: it is as unknown as one that is not there */
function numberOf(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw unknown();
  return Number(text);
}

function page(name: string, items: readonly object[], { count, page: nth, perPage }: Paging): Promise<object> {
  const found = count ? items.length : items.slice((nth - 1) * perPage, nth * perPage);
  return answerList(found, (shown) => ({ [name]: shown }));
}
