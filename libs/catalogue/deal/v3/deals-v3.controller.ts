import { Controller, Get, Res } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import type { FastifyReply } from 'fastify';
import { Freshness, Keyring } from '#eventsourcing';
import {
  AllowFor,
  BAD_QUERY,
  type Call,
  Describe,
  DescribeUnder,
  PAGING,
  sendJson,
  sinceOf,
  PublicUrl,
  TheCall,
} from '#http';
import { DealPages } from '../deal-pages.js';
import { shapeV3 } from './deal-v3.present.js';
import { DEALS_V3 } from './deal-v3.answer.js';
import { FindDealsV3 } from './deals-v3.queries.js';
import { KEYWORDS, readListV3 } from './deals-v3.schema.js';
import { nextPageV3 } from './next-page-v3.js';

/** Deals in the v3 shape (interface 4.2). Only an error's answer has a `status` (2.3). */
@AllowFor('partner-v3')
@DescribeUnder('Deals')
@Controller('api/v3/deals')
export class DealsV3Controller {
  constructor(
    private readonly freshness: Freshness,
    private readonly keyring: Keyring,
    private readonly publicUrl: PublicUrl,
    private readonly pages: DealPages,
    private readonly queries: QueryBus,
  ) {}

  @Describe({
    summary:
      'Lists the deals in flight, sold out or not, in the v3 shape. Each deal has the requested fields, in the order of the shape. `price` and `starting_price` are the current price.',
    parameters: KEYWORDS.extend(PAGING),
    answer: DEALS_V3,
    otherwise: { 400: BAD_QUERY },
    example: { fields: 'id,title,price,images[small]', filter: 'region[boston],sold_out[false]' },
  })
  @Get('')
  async list(@TheCall() call: Call, @Res({ passthrough: true }) reply: FastifyReply): Promise<object> {
    const request = readListV3(call);
    const since = sinceOf(call, this.freshness);
    const page = await this.pages.remembered({
      call,
      since,
      find: () => this.queries.execute(new FindDealsV3(request, since)),
      shape: shapeV3(request.fields, { keyring: this.keyring, publicUrl: this.publicUrl }),
      before: {},
      next: () => nextPageV3(this.publicUrl.href, call.path, request.keywords, request.paging),
    });
    return sendJson(reply, page);
  }
}
