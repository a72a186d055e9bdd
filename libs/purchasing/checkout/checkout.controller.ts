import { Inject, Controller } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { Freshness, Keyring, Clock, Time, shownNow } from '#eventsourcing';
import {
  AllowFor,
  type Call,
  Describe,
  DescribeUnder,
  partnerOf,
  PostCall,
  sinceOf,
  PublicUrl,
  TheCall,
  TokenScope,
} from '#http';
import { DomainError } from '#kernel';
import { presentingOf } from '../coupon/coupon.present.js';
import { PURCHASE_ANSWER } from '../purchase/purchase.answer.js';
import { presentPurchase } from '../purchase/purchase.present.js';
import type { PurchaseRow } from '../purchase/purchase.row.js';
import { Buy } from './buy.commands.js';
import { entriesOf } from './order.faults.js';
import { OrderInvalid, type OrderKind } from './order.js';
import { FULL_EXAMPLE, FULL_PURCHASE, STORED_CARD_EXAMPLE, STORED_CARD_PURCHASE } from './order.parameters.js';
import { readOrder } from './read-order.js';

/** Purchases that our gateway charges (interface 4.6). */
@AllowFor('partner')
@TokenScope('purchase')
@DescribeUnder('Purchases')
@Controller('purchases')
export class CheckoutController {
  constructor(
    private readonly freshness: Freshness,
    private readonly keyring: Keyring,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(Time) private readonly time: Time,
    private readonly publicUrl: PublicUrl,
    private readonly commands: CommandBus,
  ) {}

  /** Creates user, card and purchase in one call (interface 4.6.1). */
  @Describe({
    summary:
      'Buys in one call: creates the user, stores the card and charges it. A known e-mail address finds its user, a known number its card. If the gateway does not answer in time, the answer is 200 with `payment_state` `pending` and no coupons: GET /purchases/{purchase_id} shows the outcome later.',
    parameters: FULL_PURCHASE,
    answer: PURCHASE_ANSWER,
    refuses: {
      cannot_fufill: 'nothing is left',
      declined: 'purchase declined: the card was declined',
      already_charging: 'an existing purchase is still processing',
    },
    prefix: '/v1',
    example: FULL_EXAMPLE,
  })
  @PostCall('full')
  async full(@TheCall() call: Call): Promise<object> {
    return { status: 'success', purchase: await this.#present(await this.#buy('full', call)) };
  }

  /** Buys with a stored card. The answer has no list of coupons (ruling B6). */
  @Describe({
    summary: 'Buys with a stored card. The answer has `coupons: null`: GET /purchases/{purchase_id} shows the coupons.',
    parameters: STORED_CARD_PURCHASE,
    answer: PURCHASE_ANSWER,
    otherwise: { 404: 'error' },
    refuses: {
      cannot_fufill: 'nothing is left',
      declined: 'purchase declined: the card was declined',
      already_charging: 'an existing purchase is still processing',
    },
    example: STORED_CARD_EXAMPLE,
  })
  @PostCall('')
  async storedCard(@TheCall() call: Call): Promise<object> {
    const row = await this.#buy('stored-card', call);
    // The answer shows no coupons, so it draws no QR codes.
    return { status: 'success', purchase: { ...(await this.#present({ ...row, coupons: [] })), coupons: null } };
  }

  #present(row: PurchaseRow): ReturnType<typeof presentPurchase> {
    return presentPurchase(row, shownNow(this.clock), presentingOf(this.keyring, this.time, this.publicUrl));
  }

  async #buy(kind: OrderKind, call: Call): Promise<PurchaseRow> {
    const { clock, freshness } = this;
    const read = readOrder(kind, call.parameters, clock.now());
    const command = new Buy(partnerOf(call).id, read.order, call.command, sinceOf(call, freshness));
    try {
      const { row, position } = await this.commands.execute(command);
      call.position = position;
      return row;
    } catch (error) {
      if (!(error instanceof OrderInvalid)) throw error;
      const details = { ...error.details, entries: entriesOf(error.faults, read) };
      throw new DomainError(error.code, error.message, details, error.position);
    }
  }
}
