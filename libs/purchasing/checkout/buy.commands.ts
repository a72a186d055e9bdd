import { Command, CommandBus, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { later, lookingAgain, Unavailable, type CommandContext, type Done, type Outcome } from '#eventsourcing';
import { DomainError, type Decided, type Position } from '#kernel';
import { wallet } from '#people/model';
import { couponsFor } from '../coupon/coupon-ids.js';
import { DealDetails } from '../ports/deal-details.js';
import { addDealState } from '../not-sold.js';
import { inventory } from '../inventory/inventory.decider.js';
import type { InventoryEvent } from '../inventory/inventory.events.js';
import type { InventoryState } from '../inventory/inventory.state.js';
import { PurchaseInvalid } from '../inventory/checkout.rules.js';
import { MAX_QUANTITY } from '../inventory/units.js';
import { purchase } from '../purchase/purchase.decider.js';
import type { PurchaseOpened } from '../purchase/purchase.events.js';
import { purchaseAfter, type PurchaseRow } from '../purchase/purchase.row.js';
import type { PurchaseState } from '../purchase/purchase.state.js';
import { PurchasingSettings } from '../settings.js';
import { readPurchase, rowFrom } from '../purchase/purchase.from-log.js';
import { Charging, unlessUnknown } from './charging.js';
import { checkOrder } from './check-order.js';
import { OrderInvalid, type Order } from './order.js';
import { OrderParts } from './order-parts.js';
import { completeOutcome, isOutcome } from './outcome.js';
import { storeParties, type Parties, type Send } from './parties.js';
import { Tries, type Payer } from './tries.js';

/** Buys with a card, new or stored (interface 4.6, 4.6.1, rulings D5 to D7). */
export class Buy extends Command<Done<PurchaseRow>> {
  constructor(
    readonly partnerId: string,
    readonly order: Order,
    readonly context: CommandContext,
    /** The position that the views must have reached. */
    readonly since: Position,
  ) {
    super();
  }
}

@CommandHandler(Buy)
export class BuyHandler implements ICommandHandler<Buy> {
  constructor(
    private readonly parts: OrderParts,
    private readonly commands: CommandBus,
    private readonly deals: DealDetails,
    private readonly charging: Charging,
    private readonly settings: PurchasingSettings,
    private readonly tries: Tries,
  ) {}

  async execute(command: Buy): Promise<Done<PurchaseRow>> {
    const { writer, keyring } = this.parts;
    const id = keyring.deriveId(command.context.commandId, 1);
    if (command.context.resumed === true) {
      const before = await writer.read(purchase, id);
      if (before.status !== 'none') return this.#goOn(before, command, [], undefined);
    }
    await this.charging.usable();
    const checked = await checkOrder(this.parts, this.deals, command);
    const send: Send = (each) => this.commands.execute(each);
    const parties = await storeParties(send, this.parts, checked, command);
    const refused = async (error: unknown): Promise<never> => {
      if (!(error instanceof DomainError)) throw error;
      throw withStored(await addDealState(error, this.deals, command.order.deal_id), parties);
    };
    if (checked.faults.length > 0) return refused(new OrderInvalid(checked.faults));
    const endTry = await this.tries.begin(await this.#payerOf(parties)).catch(refused);
    let taken = false;
    try {
      const started = await lookingAgain(command.context, (context) =>
        this.#start(id, parties, command, context),
      ).catch(refused);
      const opened = await writer.read(purchase, id);
      if (opened.status === 'none') throw new Unavailable('the purchase is being completed', 5);
      const done = await this.#goOn(opened, command, started.followers, started.position);
      taken = done.row.payment_state === 'charged';
      return done;
    } finally {
      endTry(taken);
    }
  }

  async #payerOf({ user_id, credit_card_id }: Parties): Promise<Payer> {
    const { cards } = await this.parts.writer.read(wallet, user_id);
    return { user_id, number_hash: cards.get(credit_card_id)?.number_hash };
  }

  /**
   * Takes the units, and writes followers that an earlier try has left out.
   * @throws DomainError if the inventory refuses it
   * @throws LookAgain
   */
  async #start(
    id: string,
    parties: Parties,
    command: Buy,
    context: CommandContext,
  ): Promise<Pick<Outcome<InventoryState, InventoryEvent>, 'followers' | 'position'>> {
    const { writer, keyring } = this.parts;
    const { deal_id, quantity, expected_price, session_id } = command.order;
    if (deal_id === undefined || quantity === undefined)
      throw new Error('an order without faults has a deal and a quantity');
    const looked = (await writer.read(inventory, deal_id)).recent.closings;
    const isOpened = context.resumed === true && (await writer.readNow(purchase, id)).status !== 'none';
    if (isOpened) return { followers: [], position: undefined };
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
      // The decider refuses a larger quantity.
      coupons: quantity > MAX_QUANTITY ? [] : couponsFor(keyring, id, quantity),
      takeover_after: this.settings.gatewayTimeout + 5_000,
      looked,
    } as const;
    const begin = (): Promise<Outcome<InventoryState, InventoryEvent>> =>
      writer.execute(inventory, deal_id, start, context);
    const started = await begin().catch(async (error: unknown) => {
      const last = chargingIn(error);
      // The inventory still counts the purchase as open; the purchase's own stream may have its outcome.
      if (last === undefined || (await completeOutcome(this.parts.writer, last)) === undefined) throw error;
      return begin();
    });
    const isMissing = (await writer.read(purchase, id)).status === 'none';
    const again = { ...context, resumed: true };
    const before = isMissing ? await writer.repeat(again, inventory, deal_id) : undefined;
    return { followers: started.followers, position: later(started.position, before?.position) };
  }

  /** Charges the purchase if it has no outcome yet, then answers. */
  async #goOn(
    state: Exclude<PurchaseState, { status: 'none' }>,
    { context, order }: Buy,
    written: readonly Decided[],
    position: Position | undefined,
  ): Promise<Done<PurchaseRow>> {
    if (state.status !== 'charging') return this.#answer(state, written, position);
    const settled = await unlessUnknown(this.charging.charge(state, context, order.verification_value));
    if (settled === undefined || settled.state.status === 'none') return this.#answer(state, written, position);
    const events = [...written, ...settled.events, ...settled.followers];
    return this.#answer(settled.state, events, settled.position ?? position);
  }

  /** @throws DomainError declined */
  async #answer(
    state: Exclude<PurchaseState, { status: 'none' }>,
    written: readonly Decided[],
    reached: Position | undefined,
  ): Promise<Done<PurchaseRow>> {
    if (state.status === 'charging' || state.status === 'voiding') {
      return { row: pendingRow(state.opened), position: reached };
    }
    const { purchase_id } = state.status === 'sold' ? state.made : state.opened;
    // An earlier try or another process may have written only the outcome: the answer waits for its followers.
    const completed = written.some(isOutcome) ? undefined : await completeOutcome(this.parts.writer, purchase_id);
    const position = completed?.position ?? reached;
    switch (state.status) {
      case 'declined':
      case 'voided': {
        const { user_id, credit_card_id } = state.opened;
        const detail = 'no money was kept, and the units are free again: GET /purchases/<purchase_id> shows it';
        const details = { user_id, credit_card_id, purchase_id, detail };
        throw new DomainError('declined', `purchase declined: ${state.reason}`, details, position);
      }
      case 'sold': {
        const { quantity } = state.made;
        const row = rowFrom(written);
        // If an answer of the log was lost, an earlier append may have written some of the followers.
        const whole =
          row?.coupons.length === quantity
            ? row
            : await readPurchase(this.parts.writer, this.parts.keyring, purchase_id, quantity);
        return { row: whole, position };
      }
    }
  }
}

function pendingRow(opened: PurchaseOpened): PurchaseRow {
  const row = purchaseAfter(undefined, { type: 'purchase-opened.v1', data: opened });
  if (row === undefined) throw new Error('an open purchase has a row');
  return row;
}

/** The id of the user's open purchase in a refusal; undefined for any other error. */
function chargingIn(error: unknown): string | undefined {
  if (!(error instanceof DomainError) || error.code !== 'already_charging') return undefined;
  const { purchase_id } = error.details;
  return typeof purchase_id === 'string' ? purchase_id : undefined;
}

/** Adds the ids of the stored user and card to a refusal (ruling D6), and the position of storing them. */
function withStored(error: DomainError, { user_id, credit_card_id, position }: Parties): DomainError {
  const details = { ...error.details, user_id, credit_card_id };
  if (error instanceof OrderInvalid) return new OrderInvalid(error.faults, details, position);
  if (error instanceof PurchaseInvalid) {
    return new OrderInvalid(
      error.faults.map((fault) => ({ part: 'purchase', ...fault })),
      details,
      position,
    );
  }
  return new DomainError(error.code, error.message, details, position);
}
