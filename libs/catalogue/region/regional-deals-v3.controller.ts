import { Controller, Get, Param, Res } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import type { FastifyReply } from 'fastify';
import { Freshness, Keyring } from '#eventsourcing';
import {
  AllowFor,
  BAD_QUERY,
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
} from '#http';
import { type DealList, DealPages } from '../deal/deal-pages.js';
import { SUCCESSFUL } from '../deal/deals.present.js';
import { DEAL_FIELDS } from '../deal/v3/deal-fields.js';
import { DEAL_V3 } from '../deal/v3/deal-v3.answer.js';
import { shapeV3 } from '../deal/v3/deal-v3.present.js';
import { pagingV3 } from '../deal/v3/deals-v3.schema.js';
import { allOf } from '../deal/v3/fields.js';
import { ListRegionalDeals } from './regional-deals.queries.js';
import { readRegionalList, REGIONAL_LIST } from './regional-deals.schema.js';

const ALL = allOf(DEAL_FIELDS);

/** Deals of a region in the v3 shape, with all fields (interface 4.4, ruling A1). */
@AllowFor('partner-v3')
@DescribeUnder('Deals')
@Controller('api/v3/regions')
export class RegionalDealsV3Controller {
  constructor(
    private readonly freshness: Freshness,
    private readonly keyring: Keyring,
    private readonly publicUrl: PublicUrl,
    private readonly pages: DealPages,
    private readonly queries: QueryBus,
  ) {}

  /** `place` is a region's slug, a ZIP, `City,ST` or an IP address. */
  @Describe({
    summary:
      'Lists the deals of a region in the v3 shape. `place` is its slug, a ZIP, City,ST or an IP address; a city’s name is spelled out, such as Saint Louis.',
    parameters: REGIONAL_LIST.extend(PAGING),
    answer: listOf('deals', DEAL_V3, NEXT_PAGE),
    otherwise: { 400: BAD_QUERY, 422: 'error' },
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
    summary: 'Lists the deals of a city’s region in the v3 shape.',
    parameters: REGIONAL_LIST.extend(PAGING),
    answer: listOf('deals', DEAL_V3, NEXT_PAGE),
    otherwise: { 400: BAD_QUERY, 422: 'error' },
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
    const list = readRegionalList(call.parameters, pagingV3);
    const since = sinceOf(call, this.freshness);
    const asked: DealList = {
      call,
      since,
      find: () => this.queries.execute(new ListRegionalDeals(place, list, partnerOf(call).id, since)),
      shape: shapeV3(ALL, { keyring: this.keyring, publicUrl: this.publicUrl }),
      before: SUCCESSFUL,
      next: () => nextPage(call, list.paging, this.publicUrl.href),
    };
    return sendJson(reply, await (list.userId === undefined ? this.pages.remembered(asked) : this.pages.of(asked)));
  }
}
