import { Inject, Controller, Get, Param } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { Freshness, Keyring, Clock, shownNow } from '#eventsourcing';
import {
  AllowFor,
  type AnswerOf,
  type Call,
  Describe,
  DescribeUnder,
  otherUser,
  partnerOf,
  PublicUrl,
  PutCall,
  read,
  sinceOf,
  TheCall,
  TokenScope,
  userTokenOf,
} from '#http';
import { COUPON_ANSWER } from '../coupon/coupon.answer.js';
import { presentCoupon } from '../coupon/coupon.present.js';
import { OwnerOfCoupon } from '../coupon/coupon.queries.js';
import type { CouponRow } from '../coupon/coupon.row.js';
import { Redeem } from '../coupon/redeem.commands.js';
import { UnknownBarcodes } from '../coupon/unknown-barcodes.js';
import { namedBy, SCANNED } from './scanned.js';
import { TILL_ANSWER } from './till.answer.js';
import { presentAtTill } from './till.present.js';
import { ShowAtTill } from './till.queries.js';

/** What tills and the partners' apps for merchants do with what they scanned (ruling I8). */
@AllowFor('partner')
@TokenScope('coupon')
@DescribeUnder('Coupons')
@Controller()
export class TillController {
  constructor(
    private readonly freshness: Freshness,
    readonly keyring: Keyring,
    @Inject(Clock) private readonly clock: Clock,
    readonly publicUrl: PublicUrl,
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
    private readonly barcodes: UnknownBarcodes,
  ) {}

  @Describe({
    summary:
      'Shows a coupon with its deal as it was sold, before a till redeems it. The path names it by its id, in any case, or by the 12 digits of its barcode.',
    answer: TILL_ANSWER,
    refuses: { redeem_failed: 'two coupons have this barcode: scan the QR code' },
  })
  @TokenScope('coupon', { coupon_id: OwnerOfCoupon })
  @Get('coupons/:coupon_id')
  async show(@TheCall() call: Call, @Param('coupon_id') named: string): Promise<AnswerOf<typeof TILL_ANSWER>> {
    const query = new ShowAtTill(partnerOf(call).id, named);
    const found = await this.barcodes.within(call, named, () => this.queries.execute(query));
    return presentAtTill(found, shownNow(this.clock), this);
  }

  @Describe({
    summary:
      'Redeems the coupon that was scanned, as PUT /coupons/{coupon_id}/redeem does: send what the scanner read, unchanged.',
    parameters: SCANNED,
    answer: COUPON_ANSWER,
    otherwise: { 404: 'error' },
    refuses: { redeem_failed: 'the coupon is redeemed' },
    example: { coupon: '<what was scanned>' },
  })
  @PutCall('coupons/redeem')
  async redeem(@TheCall() call: Call): Promise<AnswerOf<typeof COUPON_ANSWER>> {
    const { coupon: scanned } = read(SCANNED, call.parameters, 'coupon');
    const named = namedBy(scanned, this.publicUrl.href);
    const { id } = partnerOf(call);
    await this.#keepToOwn(call, new OwnerOfCoupon(id, named, sinceOf(call, this.freshness)));
    const command = new Redeem(id, named, undefined, call.command);
    const { row, position } = await this.barcodes.within(call, named, () => this.commands.execute(command));
    call.position = position;
    return { status: 'success', coupon: this.#present(row) };
  }

  /** A user with a token redeems only what is theirs: the guard knows only what paths name. */
  async #keepToOwn(call: Call, query: OwnerOfCoupon): Promise<void> {
    const token = userTokenOf(call);
    if (token === undefined) return;
    const owner = await this.queries.execute(query);
    if (owner !== undefined && owner !== token.user_id) throw otherUser();
  }

  #present(row: CouponRow): AnswerOf<typeof COUPON_ANSWER>['coupon'] {
    const { clock, keyring } = this;
    return presentCoupon(row, shownNow(clock), { keyring, publicUrl: this.publicUrl });
  }
}
