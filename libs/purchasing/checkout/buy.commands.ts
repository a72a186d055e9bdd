import { CommandBus, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Engine, later, Unavailable, type CommandContext, type Done, type Outcome } from '#eventsourcing';
import type { ErrorEntry } from '#http';
import { DomainError, type Decided, type Position } from '#kernel';
import { couponsFor } from '../coupon/coupon-ids.js';
import { DealDetails } from '../ports/deal-details.js';
import { addDealState } from '../coupon/not-sold.js';
import { inventory } from '../inventory/inventory.decider.js';
import type { InventoryEvent } from '../inventory/inventory.events.js';
import type { InventoryState } from '../inventory/inventory.state.js';
import type { PurchaseFault } from '../inventory/checkout.rules.js';
import { MAX_QUANTITY } from '../inventory/units.js';
import { completeUnits } from '../carry-on.js';
import { purchase } from '../purchase/purchase.decider.js';
import type { PurchaseOpened } from '../purchase/purchase.events.js';
import { purchaseAfter, type PurchaseRow } from '../purchase/purchase.row.js';
import type { PurchaseState } from '../purchase/purchase.state.js';
import { readPurchase, rowFrom } from '../purchase/purchase.story.js';
import { Charging, unlessUnknown } from './charging.js';
import { checkOrder, entryOf } from './check-order.js';
import type { Order } from './order.js';
import { completeOutcome, isOutcome } from './outcome.js';
import { storeParties, type Parties, type Send } from './parties.js';

/** Buys with a card, new or stored (interface 4.6, 4.6.1, rulings D5 to D7). */
export class Buy {
  constructor(
    readonly partnerId: string,
    readonly order: Order,
    readonly context: CommandContext,
    /** What is looked up is at least as new. */
    readonly since: Position,
  ) {}
}

/** A purchase, or why there is none; in either case user and card may have been stored. */
export type Bought =
  { readonly kind: 'bought'; readonly row: PurchaseRow } | { readonly kind: 'refused'; readonly error: DomainError };

@CommandHandler(Buy)
export class BuyHandler implements ICommandHandler<Buy, Done<Bought>> {
  constructor(
    private readonly engine: Engine,
    private readonly commands: CommandBus,
    private readonly deals: DealDetails,
    private readonly charging: Charging,
  ) {}

  async execute(command: Buy): Promise<Done<Bought>> {
    const { loop, keyring } = this.engine;
    const id = keyring.deriveId(command.context.commandId, 1);
    if (command.context.resumed === true) {
      const before = await loop.read(purchase, id);
      if (before.status !== 'none') return this.#goOn(before, command, [], undefined);
    }
    await this.charging.usable();
    const checked = await checkOrder(this.engine, this.deals, command);
    const send: Send = (each) => this.commands.execute(each);
    const parties = await storeParties(send, this.engine, checked, command);
    try {
      if (checked.faults.length > 0) throw invalid(checked.faults);
      return await this.#checkout(id, parties, command);
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      const told = await addDealState(error, this.deals, command.order.deal_id);
      return { row: { kind: 'refused', error: withIds(told, parties) }, position: parties.position };
    }
  }

  /** Takes the units, then charges. */
  async #checkout(id: string, parties: Parties, command: Buy): Promise<Done<Bought>> {
    const { loop, keyring, site } = this.engine;
    const { deal_id, quantity, expected_price, session_id } = command.order;
    if (deal_id === undefined || quantity === undefined) throw new Error('an order without faults says what it wants');
    const start = {
      type: 'start-checkout',
      purchase_id: id,
      partner_id: command.partnerId,
      user_id: parties.user_id,
      credit_card_id: parties.credit_card_id,
      shipping_address_id: parties.shipping_address_id,
      session_id: session_id ?? null,
      quantity,
      expected_price: expected_price ?? null,
      // More than that is refused, whatever there is.
      coupons: quantity > MAX_QUANTITY ? [] : couponsFor(keyring, id, quantity),
      takeover_after: site.gatewayTimeout + 5_000,
    } as const;
    const begin = (): Promise<Outcome<InventoryState, InventoryEvent>> =>
      loop.execute(inventory, deal_id, start, command.context);
    const started = await begin().catch(async (error: unknown) => {
      const last = chargingIn(error);
      // The inventory counts it as open still, and its own stream may know better.
      if (last === undefined || (await completeOutcome(this.engine, last)) === undefined) throw error;
      return begin();
    });
    const completed =
      (await loop.read(purchase, id)).status === 'none' ? await completeUnits(this.engine, deal_id, id) : undefined;
    const opened = await loop.read(purchase, id);
    if (opened.status === 'none') throw new Unavailable('the purchase is being completed', 5);
    const position = later(started.position, completed);
    return this.#goOn(opened, command, started.followers, position, parties.verification_value);
  }

  /** Whatever has become of the purchase: charges it where that is still to be done, and answers. */
  async #goOn(
    state: Exclude<PurchaseState, { status: 'none' }>,
    { context, order }: Buy,
    written: readonly Decided[],
    position: Position | undefined,
    verificationValue = verificationValueIn(order),
  ): Promise<Done<Bought>> {
    if (state.status !== 'charging') return this.#answer(state, written, position);
    const settled = await unlessUnknown(this.charging.charge(state, context, verificationValue));
    if (settled === undefined || settled.state.status === 'none') return this.#answer(state, written, position);
    const events = [...written, ...settled.events, ...settled.followers];
    return this.#answer(settled.state, events, settled.position ?? position);
  }

  async #answer(
    state: Exclude<PurchaseState, { status: 'none' }>,
    written: readonly Decided[],
    reached: Position | undefined,
  ): Promise<Done<Bought>> {
    if (state.status === 'charging' || state.status === 'voiding') {
      return { row: { kind: 'bought', row: pendingRow(state.opened) }, position: reached };
    }
    const { purchase_id } = state.status === 'sold' ? state.made : state.opened;
    // An outcome that was written before, or by another process, may be all that was: it is told when the rest is there, too.
    const completed = written.some(isOutcome) ? undefined : await completeOutcome(this.engine, purchase_id);
    const position = completed?.position ?? reached;
    switch (state.status) {
      case 'declined':
      case 'voided': {
        const { user_id, credit_card_id } = state.opened;
        const error = new DomainError('declined', `purchase declined: ${state.reason}`, {
          ...{ user_id, credit_card_id, purchase_id },
          detail: 'no money was kept, and the units are free again: GET /purchases/<purchase_id> shows it',
        });
        return { row: { kind: 'refused', error }, position };
      }
      case 'sold': {
        const { quantity } = state.made;
        const row = rowFrom(written);
        // Where an answer of the log was lost, some were written by a copy that nobody heard of.
        const whole = row?.coupons.length === quantity ? row : await readPurchase(this.engine, purchase_id, quantity);
        return { row: { kind: 'bought', row: whole }, position };
      }
    }
  }
}

/** The verification value of a call that runs again: it was kept nowhere. */
function verificationValueIn({ parameters }: Order): string | undefined {
  const card = parameters['credit_card'];
  if (typeof card !== 'object' || card === null || !('verification_value' in card)) return undefined;
  const given = card.verification_value;
  return typeof given === 'string' || typeof given === 'number' ? String(given) : undefined;
}

function pendingRow(opened: PurchaseOpened): PurchaseRow {
  const row = purchaseAfter(undefined, { type: 'purchase-opened.v1', data: opened });
  if (row === undefined) throw new Error('an open purchase has a row');
  return row;
}

/** The user's open purchase that a refusal names; undefined for any other error. */
function chargingIn(error: unknown): string | undefined {
  if (!(error instanceof DomainError) || error.code !== 'already_charging') return undefined;
  const { purchase_id } = error.details;
  return typeof purchase_id === 'string' ? purchase_id : undefined;
}

function invalid(entries: readonly ErrorEntry[]): DomainError {
  return new DomainError('purchase_invalid', 'the purchase is not possible', { entries });
}

/** What is wrong, as the answer tells it: the ids of user and card stand before it (ruling D6). */
function withIds(error: DomainError, { user_id, credit_card_id }: Parties): DomainError {
  const { code, message, details } = error;
  const faults = details['faults'] as readonly PurchaseFault[] | undefined;
  const entries = faults === undefined ? details['entries'] : faults.map(entryOf);
  return new DomainError(code, message, { ...details, user_id, credit_card_id, entries });
}
