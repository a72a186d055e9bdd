import { type Engine, newContext, type CommandContext, type OpenWork, type Outcome } from '#eventsourcing';
import { openCard } from '#people';
import { purchase, type PurchaseCommand } from '../purchase/purchase.decider.js';
import type { PurchaseEvent, PurchaseOpened } from '../purchase/purchase.events.js';
import type { PurchaseState } from '../purchase/purchase.state.js';
import { openCheckouts, openRefunds, type OpenCheckout, type OpenRefund } from './open-checkouts.view.js';
import { GatewayOutcomeUnknown, type ChargeOutcome, type PaymentGateway } from './payment-gateway.js';

type Settled = Outcome<PurchaseState, PurchaseEvent>;

/**
 * Asks the gateway, and writes what it said (ruling D7). The call that opened a purchase drives it; while the gateway's word
 * is missing the work lists ask again under the same key, so that money and coupons agree in the end.
 */
export class Charging {
  constructor(
    private readonly engine: Pick<Engine, 'loop' | 'vault' | 'clock'>,
    private readonly gateway: PaymentGateway,
  ) {}

  /**
   * Charges an open purchase, under its id.
   * @param verification_value for the first charge alone
   * @throws GatewayOutcomeUnknown while nobody knows
   */
  async charge(opened: PurchaseOpened, context: CommandContext, verification_value?: string): Promise<Settled> {
    const { purchase_id, credit_card_id, amount } = opened;
    const { loop, vault } = this.engine;
    const card = await openCard(vault, credit_card_id);
    if (card === undefined) {
      // Without the card nothing can be charged; what an earlier try may have taken goes back.
      await loop.execute(
        purchase,
        purchase_id,
        { type: 'ask-void', reason: 'the card is not stored any more' },
        context,
      );
      return this.cancel(purchase_id, context);
    }
    const given = verification_value === undefined ? card : { ...card, verification_value };
    const outcome = await this.gateway.charge(purchase_id, { amount, card: given });
    return loop.execute(purchase, purchase_id, commandOf(outcome), context);
  }

  /**
   * Closes a charge that an operator gave up on (ruling G5): whatever the gateway took for it goes back.
   * @throws GatewayOutcomeUnknown while nobody knows
   */
  async cancel(purchaseId: string, context: CommandContext): Promise<Settled> {
    const { refunded } = await this.gateway.cancel(purchaseId);
    return this.engine.loop.execute(purchase, purchaseId, { type: 'voided', refunded }, context);
  }

  /**
   * Gives back what was taken for a cancelled coupon, under the coupon's id.
   * @throws GatewayOutcomeUnknown while nobody knows
   */
  async giveBack(purchaseId: string, couponId: string, amount: number, context: CommandContext): Promise<Settled> {
    await this.gateway.refund(couponId, { key: purchaseId, amount });
    return this.engine.loop.execute(purchase, purchaseId, { type: 'money-returned', coupon_id: couponId }, context);
  }

  /** The work lists of what the gateway has not answered. */
  get work(): readonly OpenWork[] {
    const { loop, clock } = this.engine;
    const checkouts: OpenWork<OpenCheckout> = {
      name: openCheckouts.name,
      view: openCheckouts,
      run: async (purchaseId) => {
        const context = newContext(clock, `system:${openCheckouts.name}`);
        const state = await loop.read(purchase, purchaseId);
        if (state.status === 'charging') await this.charge(state.opened, context);
        if (state.status === 'voiding') await this.cancel(purchaseId, context);
      },
    };
    const refunds: OpenWork<OpenRefund> = {
      name: openRefunds.name,
      view: openRefunds,
      run: async (couponId, { purchase_id, amount }) => {
        await this.giveBack(purchase_id, couponId, amount, newContext(clock, `system:${openRefunds.name}`));
      },
    };
    return [checkouts, refunds];
  }
}

function commandOf(outcome: ChargeOutcome): Extract<PurchaseCommand, { type: 'charged' | 'declined' }> {
  switch (outcome.kind) {
    case 'approved':
      return { type: 'charged' };
    case 'declined':
      return { type: 'declined', reason: outcome.reason };
    case 'cancelled':
      return { type: 'declined', reason: 'it was cancelled' };
  }
}

/** What the gateway said; undefined while nobody knows, which the work lists then find out. */
export async function unlessUnknown<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof GatewayOutcomeUnknown) return undefined;
    throw error;
  }
}
