import { Controller, Get, Headers, Param, Res } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import type { FastifyReply } from 'fastify';
import { Keyring } from '#eventsourcing';
import { AllowFor, Describe, DescribeUnder, type Html, PublicUrl, wantsJson } from '#http';
import { unknownAddress } from './coupon-address.js';
import { PAGE } from './coupon.present.js';
import { ShowCoupon } from './coupon-pages.queries.js';
import type { ShownCoupon } from './print/coupon.page.js';
import { pageHeaders } from './print/page.js';

/**
 * Two pages for people, who have no key (ruling B7). They change nothing. The modules that draw them are large and load with
 * the first page.
 */
@AllowFor('public')
@DescribeUnder('Coupons')
@Controller()
export class CouponPagesController {
  constructor(
    private readonly keyring: Keyring,
    private readonly publicUrl: PublicUrl,
    private readonly queries: QueryBus,
  ) {}

  /** The page of `print_url`. It needs no key, but a signature that nobody can guess. */
  @Describe({
    summary: 'The page of a coupon for its owner to print, at its signed address.',
    answer: 'text/html',
    otherwise: { 404: 'text/html' },
  })
  @Get('coupons/:coupon_id/:signature/print')
  async print(
    @Param('coupon_id') named: string,
    @Param('signature') signature: string,
    @Headers('accept') accepted: string | undefined,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const id = named.toLowerCase();
    const shown = this.keyring.verify(PAGE, id, signature) ? await this.#find(id, 'owner') : undefined;
    if (shown === undefined) await unknown(reply, accepted);
    else {
      const { couponPage } = await import('./print/coupon.page.js');
      send(reply, 200, couponPage(shown, this.publicUrl.href), shown.deal.image === null ? 'no picture' : 'a picture');
    }
  }

  /** The page of the QR code, whose address is in capitals; a typed address may be in small letters. */
  @Describe({
    summary: 'The page of a coupon’s QR code, for the person who redeems the coupon.',
    answer: 'text/html',
    otherwise: { 404: 'text/html' },
  })
  @Get(['C/:coupon_id', 'c/:coupon_id'])
  async show(
    @Param('coupon_id') id: string,
    @Headers('accept') accepted: string | undefined,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const shown = await this.#find(id.toLowerCase(), 'anybody');
    if (shown === undefined) await unknown(reply, accepted);
    else {
      const { redemptionPage } = await import('./print/redemption.page.js');
      send(reply, 200, redemptionPage(shown));
    }
  }

  #find(id: string, to: ShowCoupon['to']): Promise<ShownCoupon | undefined> {
    return this.queries.execute(new ShowCoupon(id, to));
  }
}

function send(
  reply: FastifyReply,
  status: number,
  page: Html,
  shows: Parameters<typeof pageHeaders>[0] = 'no picture',
): void {
  void reply.status(status).headers(pageHeaders(shows)).send(page.text);
}

/** Sends a page to people and the error to programs. */
async function unknown(reply: FastifyReply, accepted: string | undefined): Promise<void> {
  if (wantsJson(accepted)) throw unknownAddress();
  const { unknownPage } = await import('./print/redemption.page.js');
  send(reply, 404, unknownPage());
}
