import { Controller, Get, Headers, Param, Res } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import type { FastifyReply } from 'fastify';
import { AllowFor, Describe, DescribeUnder, plainPage, plainPageHeaders, PublicUrl, wantsJson } from '#http';
import { DomainError } from '#kernel';
import { presentDeal } from '../deal.present.js';
import { GetDeal, type FoundDeal } from '../deal.queries.js';
import { stateAt, type DealState } from '../deal.state.js';
import { dealPage, noDealPage } from './deal.page.js';

/** States of a deal that was, is or will be on sale (ruling H4). */
const SHOWN: readonly DealState[] = ['approved', 'in-flight', 'paused', 'landed'];
/** Allows any host: an operator may name a picture of another site. */
const PICTURES = "'self' data: https:";

/** The page behind a deal's `show_url` and `purchase_url`. It sells nothing and needs no key. */
@AllowFor('public')
@DescribeUnder('Deals')
@Controller('deals')
export class DealPageController {
  constructor(
    private readonly publicUrl: PublicUrl,
    private readonly queries: QueryBus,
  ) {}

  @Describe({
    summary: 'A page that shows a deal to people. A browser without a credential sees it at `show_url` too.',
    answer: 'text/html',
    otherwise: { 404: 'text/html' },
  })
  @Get(':deal_id/purchase')
  async show(
    @Param('deal_id') id: string,
    @Headers('accept') accepted: string | undefined,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const found = await this.#find(id);
    if (found !== undefined) {
      const publicUrl = this.publicUrl.href;
      const content = dealPage(presentDeal({ ...found, publicUrl }), found.region?.name ?? null);
      void reply
        .headers(plainPageHeaders(PICTURES))
        .header('cache-control', 'public, max-age=60')
        .send(plainPage(found.row.attributes.title, content).text);
      return;
    }
    if (wantsJson(accepted)) throw new DomainError('deal_not_found', 'Unable to find');
    void reply.status(404).headers(plainPageHeaders()).send(plainPage('No such deal', noDealPage()).text);
  }

  async #find(id: string): Promise<FoundDeal | undefined> {
    try {
      const found = await this.queries.execute(new GetDeal(id, 0n));
      return SHOWN.includes(stateAt(found.row, found.now)) ? found : undefined;
    } catch (error) {
      if (error instanceof DomainError && error.code === 'deal_not_found') return undefined;
      throw error;
    }
  }
}
