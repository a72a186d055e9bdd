import { Inject, Controller, Get, Param } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { Keyring, Clock, Time, shownNow } from '#eventsourcing';
import {
  AllowFor,
  type AnswerOf,
  type Call,
  counted,
  DeleteCall,
  Describe,
  DescribeUnder,
  FormedRefusal,
  PAGING,
  pagingOf,
  partnerOf,
  PostCall,
  PublicUrl,
  readTogether,
  SUCCESS,
  TheCall,
  ValidationFailed,
} from '#http';
import { DomainError } from '#kernel';
import { presentingOf } from '../coupon/coupon.present.js';
import { NotGivenBack } from '../coupon/give-back.rules.js';
import { GiveBackCoupon } from './give-back.commands.js';
import { ResaleInvalid } from './resale.js';
import { resaleEntries } from './resale.faults.js';
import { readResale, RESALE, RESALE_EXAMPLE } from './resale.parameters.js';
import { readReference, RESALES } from './resales.parameters.js';
import { ListResales } from './resales.queries.js';
import { Resell } from './resell.commands.js';
import { GetResoldCoupon } from './resold-coupon.queries.js';
import { NO_COUPON, NOT_CANCELLED, RESOLD_COUPON_ANSWER, RESOLD_PURCHASE, RESOLD_PURCHASES } from './resold.answer.js';
import { presentResold, presentResoldCoupon } from './resold.present.js';

/** Purchases and coupons of resellers (interface 4.6.2, 4.7). */
@AllowFor('partner-v3')
@DescribeUnder('Resellers')
@Controller('api/v3')
export class ResellersController {
  constructor(
    private readonly keyring: Keyring,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(Time) private readonly time: Time,
    private readonly publicUrl: PublicUrl,
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Describe({
    summary:
      'Records a purchase whose payment you handled yourself. The same reference with the same content has the same purchase as its answer, so you may send a call again.',
    parameters: RESALE,
    answer: RESOLD_PURCHASE,
    refuses: { cannot_fulfill: 'not enough units are left: 2 available' },
    example: RESALE_EXAMPLE,
  })
  @PostCall('resellers/purchases')
  async resell(@TheCall() call: Call): Promise<object> {
    const { order, unreadable } = readResale(call.parameters);
    const command = new Resell(partnerOf(call).id, order, call.command);
    try {
      const { row, position } = await this.commands.execute(command);
      call.position = position;
      const presenting = presentingOf(this.keyring, this.time, this.publicUrl);
      return await presentResold(row, order.sent?.transaction_reference ?? '', shownNow(this.clock), presenting);
    } catch (error) {
      if (!(error instanceof ResaleInvalid)) throw error;
      throw new ValidationFailed(resaleEntries(error.faults, unreadable));
    }
  }

  @Describe({
    summary:
      'Lists what you have recorded under a reference: one purchase, with the present state of its coupons, or none.',
    parameters: RESALES.extend(PAGING),
    answer: RESOLD_PURCHASES,
    example: { transaction_reference: RESALE_EXAMPLE.transaction_reference },
  })
  @Get('resellers/purchases')
  async list(@TheCall() call: Call): Promise<object> {
    const [reference, paging] = readTogether(
      () => readReference(call.parameters),
      () => pagingOf(call.parameters, 'purchase'),
    );
    const now = shownNow(this.clock);
    const presenting = presentingOf(this.keyring, this.time, this.publicUrl);
    return counted(
      await this.queries.execute(new ListResales(partnerOf(call).id, reference, paging)),
      async (rows) => ({
        purchases: await Promise.all(rows.map((row) => presentResold(row, reference, now, presenting))),
      }),
    );
  }

  @Describe({ summary: 'Shows a coupon that you resold, with its present state.', answer: RESOLD_COUPON_ANSWER })
  @Get('coupons/:coupon_id')
  async show(@TheCall() call: Call, @Param('coupon_id') named: string): Promise<object> {
    const { clock, keyring } = this;
    const query = new GetResoldCoupon(partnerOf(call).id, named);
    const row = await this.queries.execute(query);
    return { coupon: presentResoldCoupon(row, shownNow(clock), { keyring, publicUrl: this.publicUrl }) };
  }

  @Describe({
    summary:
      'Cancels a coupon that you resold and puts its unit on sale again. Only a valid coupon of a refundable deal can be cancelled.',
    answer: SUCCESS,
    otherwise: { 404: NO_COUPON, 422: NOT_CANCELLED },
    ownFailures: { 404: notFoundBody('Failed. not found.'), 422: notCancelledBody(['in a non refundable state']) },
  })
  @DeleteCall('coupons/:coupon_id/cancel')
  async cancel(@TheCall() call: Call, @Param('coupon_id') named: string): Promise<object> {
    const command = new GiveBackCoupon(partnerOf(call).id, named, call.command);
    try {
      const { position } = await this.commands.execute(command);
      call.position = position;
      return { status: 'success' };
    } catch (error) {
      throw inOwnForm(error);
    }
  }
}

/** The refusals of a cancellation have bodies of their own (interface 7.3). */
function inOwnForm(error: unknown): unknown {
  if (error instanceof NotGivenBack) {
    return new FormedRefusal(422, 'validation_failed', notCancelledBody(error.reasons));
  }
  if (error instanceof DomainError && error.code === 'not_found') {
    return new FormedRefusal(404, 'find_failed', notFoundBody(error.message));
  }
  if (error instanceof DomainError && error.code === 'barcode_shared') {
    return new FormedRefusal(422, 'redeem_failed', notCancelledBody([error.message]));
  }
  return error;
}

function notFoundBody(message: string): AnswerOf<typeof NO_COUPON> {
  return { status: 'error', message, type: 'find_failed' };
}

function notCancelledBody(reasons: readonly string[]): AnswerOf<typeof NOT_CANCELLED> {
  return { status: 'error', message: 'Validation failed', code: '422', errors: { coupons: reasons } };
}
