import { Controller, Get, Param } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { z } from 'zod';
import { Freshness } from '#eventsourcing';
import {
  AllowFor,
  answerList,
  type Call,
  Describe,
  DescribeUnder,
  listOf,
  PAGING,
  pagingOf,
  sinceOf,
  success,
  TheCall,
  TokenScope,
} from '#http';
import { REGION } from './region.answer.js';
import { presentRegion } from './region.present.js';
import { GetRegion, ListRegions } from './region.queries.js';

/** Regions (interface 4.5). */
@AllowFor('partner')
@TokenScope('region')
@DescribeUnder('Regions')
@Controller('regions')
export class RegionsController {
  constructor(
    private readonly freshness: Freshness,
    private readonly queries: QueryBus,
  ) {}

  @Describe({
    summary: 'Lists regions.',
    parameters: z.object(PAGING),
    answer: listOf('regions', REGION),
    prefix: '/api/v1',
  })
  @Get('')
  async list(@TheCall() call: Call): Promise<object> {
    const query = new ListRegions(pagingOf(call.parameters, 'region'), sinceOf(call, this.freshness));
    const found = await this.queries.execute(query);
    return answerList(found, (rows) => ({ regions: rows.map(presentRegion) }));
  }

  @Describe({ summary: 'Shows a region.', answer: success({ region: REGION }), prefix: '/api/v1' })
  @Get(':region_id')
  async get(@TheCall() call: Call, @Param('region_id') id: string): Promise<object> {
    const query = new GetRegion(id, sinceOf(call, this.freshness));
    return { status: 'success', region: presentRegion(await this.queries.execute(query)) };
  }
}
