import { Inject, Controller, Get, Param, Res } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import type { FastifyReply } from 'fastify';
import { Freshness, Keyring, Clock, type ListedVersions, shownNow } from '#eventsourcing';
import {
  AllowFor,
  type Call,
  Describe,
  DescribeUnder,
  ListOfCaller,
  ListOfUser,
  ownPageOf,
  partnerOf,
  PublicUrl,
  PutCall,
  read,
  readTogether,
  sendJson,
  TheCall,
  TokenScope,
  type UsersList,
} from '#http';
import { FindUser } from '#people';
import { COUPON, COUPON_ANSWER } from './coupon.answer.js';
import { unknownAddress } from './coupon-address.js';
import { FILTERS } from './coupon.parameters.js';
import { CouponItems } from './coupon-items.js';
import { opensPicture, presentCoupon, redemptionUrl } from './coupon.present.js';
import { qrPng } from './coupon.qr.js';
import { ListCoupons, OwnerOfCoupon } from './coupon.queries.js';
import { Redeem } from './redeem.commands.js';
import { UnknownBarcodes } from './unknown-barcodes.js';

const LIST: UsersList = {
  name: 'coupons',
  item: COUPON,
  filters: FILTERS.shape,
  // A partner has too many coupons to list them all.
  partners: {
    summary: 'Without a user it lists the coupons of the partner that have this `barcode` or `redemption_code`.',
    needs: ['barcode', 'redemption_code'],
  },
};

const OWNED = { coupon_id: OwnerOfCoupon };

/** Coupons of users (interface 4.8). */
@AllowFor('partner')
@TokenScope('coupon')
@DescribeUnder('Coupons')
@Controller()
export class CouponsController {
  constructor(
    private readonly freshness: Freshness,
    private readonly keyring: Keyring,
    @Inject(Clock) private readonly clock: Clock,
    private readonly publicUrl: PublicUrl,
    private readonly items: CouponItems,
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
    private readonly barcodes: UnknownBarcodes,
  ) {}

  @ListOfUser(LIST)
  list(
    @TheCall() call: Call,
    @Param('user_id') userId: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<object> {
    return this.#list(call, reply, userId);
  }

  @ListOfCaller(LIST)
  listOwn(@TheCall() call: Call, @Res({ passthrough: true }) reply: FastifyReply): Promise<object> {
    return this.#list(call, reply);
  }

  async #list(call: Call, reply: FastifyReply, inPath?: string): Promise<object> {
    const [{ partnerId, userId, named, paging, since }, filters] = readTogether(
      () => ownPageOf(call, this.freshness, 'coupon', LIST, inPath),
      () => read(FILTERS, call.parameters, 'coupon'),
    );
    if (userId !== undefined) await this.queries.execute(new FindUser(partnerId, userId, since, named));
    const of = userId === undefined ? { partner_id: partnerId } : { user_id: userId };
    const query = new ListCoupons(of, filters, paging, since);
    const find = (): Promise<ListedVersions> => this.queries.execute(query);
    const found = userId === undefined ? await this.barcodes.search(call, find, isNone) : await find();
    if (typeof found === 'number') return { status: 'success', count: found };
    return sendJson(reply, await this.items.page(found, shownNow(this.clock)));
  }

  @Describe({
    summary: 'Redeems a coupon if it belongs to this user; otherwise like PUT /coupons/{coupon_id}/redeem.',
    answer: COUPON_ANSWER,
    refuses: { redeem_failed: 'the coupon is redeemed' },
  })
  @TokenScope('coupon', OWNED)
  @PutCall('users/:user_id/coupons/:coupon_id/redeem')
  async redeemOfUser(
    @TheCall() call: Call,
    @Param('user_id') userId: string,
    @Param('coupon_id') couponId: string,
  ): Promise<object> {
    return this.#redeem(call, couponId, userId);
  }

  @Describe({
    summary:
      'Redeems a coupon. The merchant’s till, or the partner’s app for merchants, sends this after it scanned the code. The path names it by its id, in any case, such as the last part of the address in the QR code, or by the 12 digits of its barcode. Of several calls one succeeds.',
    answer: COUPON_ANSWER,
    refuses: { redeem_failed: 'the coupon is redeemed' },
  })
  @TokenScope('coupon', OWNED)
  @PutCall('coupons/:coupon_id/redeem')
  async redeem(@TheCall() call: Call, @Param('coupon_id') couponId: string): Promise<object> {
    return this.#redeem(call, couponId, undefined);
  }

  /** The picture of `qr_code_url`. It needs no key, but a signature that nobody can guess (ruling B7). */
  @AllowFor('public')
  @Describe({ summary: 'The QR code of a coupon, at its signed address.', answer: 'image/png' })
  @Get('coupons/:coupon_id/:signature/qr.png')
  qr(@Param('coupon_id') id: string, @Param('signature') signature: string, @Res() reply: FastifyReply): void {
    if (!opensPicture(this.keyring, id.toLowerCase(), signature)) throw unknownAddress();
    void reply.type('image/png').send(qrPng(redemptionUrl(id, this.publicUrl.href)));
  }

  async #redeem(call: Call, couponId: string, userId: string | undefined): Promise<object> {
    const command = new Redeem(partnerOf(call).id, couponId, userId, call.command);
    const { row, position } = await this.barcodes.within(call, couponId, () => this.commands.execute(command));
    call.position = position;
    const { clock, keyring } = this;
    return { status: 'success', coupon: presentCoupon(row, shownNow(clock), { keyring, publicUrl: this.publicUrl }) };
  }
}

function isNone(found: ListedVersions): boolean {
  return typeof found === 'number' ? found === 0 : found.rows.length === 0;
}
