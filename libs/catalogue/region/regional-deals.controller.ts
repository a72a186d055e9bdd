import { Controller, Get, Param, Res } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import type { FastifyReply } from 'fastify';
import { Freshness } from '#eventsourcing';
import {
  AllowFor,
  type Call,
  Describe,
  DescribeUnder,
  listOf,
  NEXT_PAGE,
  nextPage,
  PAGING,
  partnerOf,
  sinceOf,
  PublicUrl,
  sendJson,
  TheCall,
  TokenScope,
} from '#http';
import { type DealList, DealPages } from '../deal/deal-pages.js';
import { DEAL } from '../deal/deal.answer.js';
import { shapeV1, SUCCESSFUL } from '../deal/deals.present.js';
import { ListRegionalDeals } from './regional-deals.queries.js';
import { readRegionalList, REGIONAL_LIST } from './regional-deals.schema.js';

const OTHERS =
  'The earliest start comes first. It ignores other parameters, such as `price_max`; GET /v1/deals with `region` takes them.';

/** Deals of a region in the v1 shape (interface 4.4). */
@AllowFor('partner')
@TokenScope('deal')
@DescribeUnder('Deals')
@Controller('regions')
export class RegionalDealsController {
  constructor(
    private readonly freshness: Freshness,
    private readonly publicUrl: PublicUrl,
    private readonly pages: DealPages,
    private readonly queries: QueryBus,
  ) {}

  /** `place` is a region's slug, a ZIP, `City,ST` or an IP address. */
  @Describe({
    summary: `Lists the deals of a region. \`place\` is its slug, a ZIP, City,ST or an IP address; a city’s name is spelled out, such as Saint Louis. ${OTHERS}`,
    parameters: REGIONAL_LIST.extend(PAGING),
    answer: listOf('deals', DEAL, NEXT_PAGE),
  })
  @Get(':place/deals')
  async ofPlace(
    @TheCall() call: Call,
    @Param('place') place: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<object> {
    return this.#list(call, place, reply);
  }

  @Describe({
    summary: `Lists the deals of a city’s region. ${OTHERS}`,
    parameters: REGIONAL_LIST.extend(PAGING),
    answer: listOf('deals', DEAL, NEXT_PAGE),
  })
  @Get(':city/:state/deals')
  async ofCity(
    @TheCall() call: Call,
    @Param('city') city: string,
    @Param('state') state: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<object> {
    return this.#list(call, `${city}/${state}`, reply);
  }

  async #list(call: Call, place: string, reply: FastifyReply): Promise<object> {
    const list = readRegionalList(call.parameters);
    const since = sinceOf(call, this.freshness);
    const asked: DealList = {
      call,
      since,
      find: () => this.queries.execute(new ListRegionalDeals(place, list, partnerOf(call).id, since)),
      shape: shapeV1(this.publicUrl),
      before: SUCCESSFUL,
      next: () => nextPage(call, list.paging, this.publicUrl.href),
    };
    return sendJson(reply, await (list.userId === undefined ? this.pages.remembered(asked) : this.pages.of(asked)));
  }
}
