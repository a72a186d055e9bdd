import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import {
  later,
  lookingAgain,
  Unavailable,
  type CommandContext,
  type Done,
  type Outcome,
  Writer,
  Keyring,
  Clock,
  PersonalData,
} from '#eventsourcing';
import { DomainError, MINUTE, type Decided, type Position } from '#kernel';
import { IN_A_LIFE } from '#kernel/bounds';
import { couponsFor } from '../coupon/coupon-ids.js';
import { inventory } from '../inventory/inventory.decider.js';
import type { InventoryEvent, ResaleTerms } from '../inventory/inventory.events.js';
import type { InventoryState } from '../inventory/inventory.state.js';
import { isPossibleQuantity } from '../inventory/resale.rules.js';
import { addDealState } from '../not-sold.js';
import { DealDetails } from '../ports/deal-details.js';
import { purchase } from '../purchase/purchase.decider.js';
import { readPurchase, rowFrom } from '../purchase/purchase.from-log.js';
import type { PurchaseRow } from '../purchase/purchase.row.js';
import type { Sold } from '../purchase/purchase.state.js';
import { referenceUsed } from '../purchase/resold.rules.js';
import { checkResale } from './check-resale.js';
import { cardLinkedTerms } from './card-linked-terms.js';
import { identify, resaleIdOf, type Identified } from './identify.js';
import { ResaleInvalid, type ResaleOrder } from './resale.js';

/** Records a purchase whose transaction a reseller manages (interface 4.6.2, ruling D11). */
export class Resell extends Command<Done<PurchaseRow>> {
  constructor(
    readonly partnerId: string,
    readonly order: ResaleOrder,
    readonly context: CommandContext,
  ) {
    super();
  }
}

/**
 * After this time the work list abandons a resale whose call broke off. A repeat under the same Idempotency-Key, which is
 * possible after 30 s (ruling A11), still finds its units.
 */
export const TAKEOVER_AFTER = MINUTE;

/** Each further try follows a resale that was abandoned meanwhile. */
const MOST_TRIES = 3;

/**
 * The units are held first; then the purchase's own stream, which belongs to one reference of one partner, decides whether the
 * reference is free. So no two contents are ever sold under one reference, even if they name different deals. What loses gives
 * its units back.
 */
@CommandHandler(Resell)
export class ResellHandler implements ICommandHandler<Resell> {
  constructor(
    private readonly writer: Writer,
    private readonly keyring: Keyring,
    @Inject(Clock) private readonly clock: Clock,
    private readonly personalData: PersonalData,
    private readonly deals: DealDetails,
  ) {}

  async execute({ partnerId, order, context }: Resell): Promise<Done<PurchaseRow>> {
    const resale = order.sent && identify(this.keyring, partnerId, order.sent);
    // A repeat gets its answer even if the deal has changed or ended since.
    const before = resale && (await this.#recorded(resale));
    if (before !== undefined) return before;
    const { kind, faults } = await checkResale(this.deals, order);
    if (resale === undefined || faults.length > 0) throw new ResaleInvalid(faults);
    return kind === 'card-linked'
      ? this.#recordLinked(resale, context)
      : lookingAgain(context, () => this.#sell(resale, context));
  }

  /**
   * The purchase that is already recorded under the reference; undefined if there is none.
   * @throws DomainError reference_used if it has other content
   */
  async #recorded({ purchaseId, content }: Identified): Promise<Done<PurchaseRow> | undefined> {
    const state = await this.writer.readNow(purchase, purchaseId);
    if (state.status === 'none') return undefined;
    if (state.status !== 'sold' || state.resale?.content !== content) throw referenceUsed();
    return this.#answer(state, [], undefined);
  }

  /** A card-linked transaction has one coupon and no stock. */
  async #recordLinked(resale: Identified, context: CommandContext): Promise<Done<PurchaseRow>> {
    const { writer, clock, keyring } = this;
    const { deal_id } = resale.sent;
    const terms = cardLinkedTerms(
      await writer.readNow(inventory, deal_id),
      await this.deals.find(deal_id),
      clock.now(),
    );
    const coupons = couponsFor(keyring, resale.purchaseId, 1).map((each) => ({ ...each, unit: null, code: null }));
    const done = await this.#record(resale, null, { ...terms, quantity: 1, coupons }, context);
    if (done === undefined) throw new Unavailable('the purchase is being completed', 1);
    return done;
  }

  async #sell(resale: Identified, context: CommandContext): Promise<Done<PurchaseRow>> {
    const { writer, keyring } = this;
    for (let tries = 0; tries < MOST_TRIES; tries += 1) {
      const looked = (await writer.read(inventory, resale.sent.deal_id)).recent.closings;
      const before = await this.#recorded(resale);
      if (before !== undefined) return before;
      const state = await writer.read(purchase, resale.purchaseId);
      const abandoned = 'abandoned' in state ? state.abandoned.length : 0;
      if (abandoned >= IN_A_LIFE.resales) {
        throw new DomainError('resale_refused', `${abandoned} calls with this reference came to nothing: take another`);
      }
      const resaleId = resaleIdOf(keyring, resale, abandoned);
      const started = await this.#start(resale, resaleId, looked, context);
      const terms = started.state.resales.get(resaleId)?.terms;
      // Without terms, another call with the same content has closed this resale: sold or abandoned.
      const done = terms && (await this.#record(resale, resaleId, terms, context));
      if (done !== undefined) return done;
    }
    throw new Unavailable('the purchase is being completed', 1);
  }

  /**
   * @throws DomainError resale_refused
   * @throws LookAgain
   */
  async #start(
    { purchaseId, partnerId, sent: { deal_id, quantity } }: Identified,
    resale_id: string,
    looked: number,
    context: CommandContext,
  ): Promise<Outcome<InventoryState, InventoryEvent>> {
    const { writer, keyring } = this;
    const start = {
      type: 'start-resale',
      resale_id,
      purchase_id: purchaseId,
      partner_id: partnerId,
      quantity,
      coupons: isPossibleQuantity(quantity) ? couponsFor(keyring, purchaseId, quantity) : [],
      takeover_after: TAKEOVER_AFTER,
      looked,
    } as const;
    return writer.execute(inventory, deal_id, start, context).catch(async (error: unknown) => {
      if (!(error instanceof DomainError)) throw error;
      if (error.code === 'deal_not_found') throw new ResaleInvalid([{ code: 'unknown_deal' }]);
      const { message, details } = await addDealState(error, this.deals, deal_id);
      throw new DomainError('resale_refused', message, details);
    });
  }

  /**
   * Records the transaction and answers; undefined if the resale was abandoned meanwhile.
   * @throws DomainError reference_used
   */
  async #record(
    resale: Identified,
    resale_id: string | null,
    terms: ResaleTerms,
    context: CommandContext,
  ): Promise<Done<PurchaseRow> | undefined> {
    const { writer, personalData } = this;
    const { purchaseId, partnerId, content, sent } = resale;
    const made = {
      ...terms,
      purchase_id: purchaseId,
      partner_id: partnerId,
      resale_id,
      transaction_reference: sent.transaction_reference,
      transaction_date: sent.transaction_date,
      amount: sent.transaction_amount,
      content,
      buyer: sent.buyer && (await personalData.seal(purchaseId, sent.buyer)),
    };
    const recorded = await writer
      .execute(purchase, purchaseId, { type: 'resell', resale: made }, context)
      .catch(async (error: unknown) => {
        if (!(error instanceof DomainError)) throw error;
        const position = await this.#abandon(resale, resale_id, context);
        throw new DomainError(error.code, error.message, error.details, position);
      });
    const { state, events, followers } = recorded;
    if (state.status !== 'sold') return undefined;
    const isOther = state.resale?.resale_id !== resale_id;
    const undone = isOther ? await this.#abandon(resale, resale_id, context) : undefined;
    return this.#answer(state, [...events, ...followers], later(recorded.position, undone));
  }

  /** Gives the units of a resale back that lost. */
  async #abandon(
    { purchaseId, sent }: Identified,
    resale_id: string | null,
    context: CommandContext,
  ): Promise<Position | undefined> {
    if (resale_id === null) return undefined;
    const resale = { purchase_id: purchaseId, resale_id, deal_id: sent.deal_id };
    const { position } = await this.writer.execute(purchase, purchaseId, { type: 'abandon-resale', resale }, context);
    return position;
  }

  /** Answers with the events of this call, or from the log once everything that another call has left out is written. */
  async #answer(
    { made: { purchase_id, quantity } }: Sold,
    written: readonly Decided[],
    reached: Position | undefined,
  ): Promise<Done<PurchaseRow>> {
    const row = rowFrom(written);
    if (row?.coupons.length === quantity) return { row, position: reached };
    const completed = await this.writer.complete(purchase, purchase_id, { from: 0 });
    return {
      row: await readPurchase(this.writer, this.keyring, purchase_id, quantity),
      position: later(reached, completed),
    };
  }
}
