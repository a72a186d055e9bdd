import { Controller, Get, Param, Res } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import type { FastifyReply } from 'fastify';
import { and, lte, Freshness } from '#eventsourcing';
import {
  AllowFor,
  type Call,
  Describe,
  DescribeUnder,
  jsonAround,
  listOf,
  NEXT_PAGE,
  nextPage,
  PAGING,
  partnerOf,
  sinceOf,
  PublicUrl,
  sendJson,
  success,
  TheCall,
  TokenScope,
} from '#http';
import { inState, near, whereOf } from './deal-criteria.js';
import { type DealList, DealPages } from './deal-pages.js';
import { DEAL } from './deal.answer.js';
import { presentDeal } from './deal.present.js';
import { FindDeals, GetDeal, SeeDeal } from './deal.queries.js';
import { shapeV1, SUCCESSFUL } from './deals.present.js';
import { FulfilledDeals } from './fulfilled-deals.js';
import { LIST, LOCATE, readList, readListPaging, readPlace } from './deals.schema.js';

/** The answer with one deal. */
const ANSWER = jsonAround(SUCCESSFUL, 'deal');

/** Deals in the v1 shape (interface 4.3). */
@AllowFor('partner')
@TokenScope('deal')
@DescribeUnder('Deals')
@Controller('deals')
export class DealsController {
  constructor(
    private readonly freshness: Freshness,
    private readonly publicUrl: PublicUrl,
    private readonly fulfilled: FulfilledDeals,
    private readonly pages: DealPages,
    private readonly queries: QueryBus,
  ) {}

  /** Latest end first (ruling C3). */
  @Describe({
    summary:
      'Lists deals, the latest end first; without conditions, those in flight, sold out or not. A deal must meet all conditions. Refuses an unknown parameter.',
    parameters: LIST.extend(PAGING),
    answer: listOf('deals', DEAL, NEXT_PAGE),
    otherwise: { 404: 'error' },
    prefix: '/v1',
    example: { region: 'boston', price_max: 5000 },
  })
  @Get('')
  async list(@TheCall() call: Call, @Res({ passthrough: true }) reply: FastifyReply): Promise<object> {
    const { region, user, criteria } = readList(call);
    const without =
      user === undefined
        ? criteria.without
        : await this.fulfilled.of(partnerOf(call).id, user, sinceOf(call, this.freshness));
    const where: FindDeals['where'] = (now) => whereOf({ ...criteria, without }, now);
    const list = this.#list(call, region, where, { field: 'end_at', descending: true });
    return sendJson(reply, await (user === undefined ? this.pages.remembered(list) : this.pages.of(list)));
  }

  /** Deals in an area that are in flight and on sale, earliest start first (ruling C6). */
  @Describe({
    summary:
      'Lists the deals in flight with a place in an area, the earliest start first. Refuses an unknown parameter.',
    example: { latitude: 42.36, longitude: -71.06, radius: 10 },
    parameters: LOCATE.extend(PAGING),
    answer: listOf('deals', DEAL, NEXT_PAGE),
    otherwise: { 404: 'error' },
  })
  @Get('locate')
  async locate(@TheCall() call: Call, @Res({ passthrough: true }) reply: FastifyReply): Promise<object> {
    const { latitude, longitude, radius } = readPlace(call);
    const place = near(latitude, longitude, radius);
    const where: FindDeals['where'] = (now) => and(inState('in-flight', now), lte('start_at', now), place);
    const list = this.#list(call, undefined, where, { field: 'start_at', descending: false });
    return sendJson(reply, await this.pages.remembered(list));
  }

  @Describe({ summary: 'Shows a deal.', answer: success({ deal: DEAL }) })
  @Get(':deal_id')
  async get(
    @TheCall() call: Call,
    @Param('deal_id') id: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<object> {
    const since = sinceOf(call, this.freshness);
    const seen = await this.queries.execute(new SeeDeal(id, since));
    const deal = seen && (await this.pages.one(seen, shapeV1(this.publicUrl)));
    if (deal !== undefined) return sendJson(reply, ANSWER(deal));
    const found = await this.queries.execute(new GetDeal(id, since));
    return { ...SUCCESSFUL, deal: presentDeal({ ...found, publicUrl: this.publicUrl.href }) };
  }

  #list(call: Call, region: string | undefined, where: FindDeals['where'], sort: FindDeals['sort'][number]): DealList {
    const paging = readListPaging(call);
    const since = sinceOf(call, this.freshness);
    return {
      call,
      since,
      find: () => this.queries.execute(new FindDeals(region, where, [sort], paging, since)),
      shape: shapeV1(this.publicUrl),
      before: SUCCESSFUL,
      next: () => nextPage(call, paging, this.publicUrl.href),
    };
  }
}
