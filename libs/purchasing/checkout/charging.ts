import {
  BoundedMap,
  type CommandContext,
  type Outcome,
  type Work,
  type Writer,
  type Keyring,
  type Vault,
} from '#eventsourcing';
import { beginning, causationOf, streamName, type Recorded } from '#kernel';
import { numberHashOf, openCard, secretOf, type CardDetails } from '#people';
import { wallet } from '#people/model';
import { purchase, type Handling } from '../purchase/purchase.decider.js';
import type { PurchaseEvent } from '../purchase/purchase.events.js';
import { moneyDueFor, type BeingCharged, type BeingVoided, type PurchaseState } from '../purchase/purchase.state.js';
import { openCheckouts, openRefunds, type OpenCheckout, type OpenRefund } from './open-checkouts.work.js';
import {
  GatewayOutcomeUnknown,
  GatewayRefused,
  type CardToCharge,
  type PaymentGateway,
} from '../ports/payment-gateway.js';
import type { Tries } from './tries.js';

type Settled = Outcome<PurchaseState, PurchaseEvent>;

/** The most characters of a gateway's reason that an event holds. */
const MOST_OF_REASON = 500;
/** The most purchases with a count of lost attempts. */
const COUNTED = 10_000;

/**
 * Asks the gateway and writes its answer (ruling D7). The call that opened a purchase asks first. While the gateway's answer
 * is missing, the work lists ask again under the same key, so that money and coupons agree in the end. Only the purchase's
 * own stream decides which money moves.
 */
export class Charging {
  /** Lost attempts after the first lost one, by purchase, as far as this process knows. */
  readonly #lostSince = new BoundedMap<string, number>(COUNTED);

  constructor(
    private readonly writer: Writer,
    private readonly keyring: Keyring,
    private readonly vault: Vault,
    private readonly gateway: PaymentGateway,
    private readonly tries: Pick<Tries, 'note'>,
  ) {}

  /** @throws Unavailable if calls to the gateway are forbidden: do not begin anything that needs it */
  usable(): Promise<void> {
    return this.gateway.usable();
  }

  /**
   * Charges an open purchase, with its id as the key. After a final refusal, or if the card is gone, it closes the purchase
   * unless that has an outcome; the gateway gives back what an earlier try may have taken.
   * @param verification_value for the first charge only
   * @throws GatewayOutcomeUnknown while the outcome is unknown
   */
  async charge(state: BeingCharged, context: CommandContext, verification_value?: string): Promise<Settled> {
    const { purchase_id, partner_id, credit_card_id, amount } = state.opened;
    const { writer } = this;
    const card = await this.#cardOf(state.opened.user_id, credit_card_id);
    if (card === undefined) {
      const reason = 'the card is not stored any more';
      return this.#unlessClosed(
        await writer.execute(purchase, purchase_id, { type: 'ask-void', reason }, context),
        context,
      );
    }
    const charged: CardToCharge = verification_value === undefined ? card : { ...card, verification_value };
    const { erased } = await writer.read(wallet, state.opened.user_id);
    const by = { last4: erased ? null : card.number.slice(-4), gateway: this.gateway.name };
    try {
      const outcome = await this.gateway.charge(purchase_id, { amount, card: charged });
      const outcomeData = {
        by: { ...by, reference: outcome.reference },
        lost_since: this.#lostSince.get(purchase_id) ?? 0,
      };
      const from = state.lost ? await this.#goingOn(purchase_id, ['purchase-charge-lost.v1'], context) : context;
      this.#lostSince.delete(purchase_id);
      if (outcome.kind === 'approved')
        return await writer.execute(purchase, purchase_id, { type: 'charged', ...outcomeData }, from);
      const isDecline = outcome.kind === 'declined';
      const reason = isDecline ? cut(outcome.reason) : 'it was cancelled';
      const number_hash = isDecline ? numberHashOf(this.keyring, this.vault, partner_id, card.number) : null;
      const declined = { type: 'declined', reason, number_hash, ...outcomeData } as const;
      const settled = await writer.execute(purchase, purchase_id, declined, from);
      for (const event of settled.events) this.tries.note(event);
      return settled;
    } catch (error) {
      const handled = { ...by, reference: null };
      if (error instanceof GatewayOutcomeUnknown) await this.#lost(state, handled, context);
      if (!(error instanceof GatewayRefused)) throw error;
      const reason = cut(`the gateway refused it: ${error.message}`);
      const refused = { type: 'charge-refused', reason, by: handled } as const;
      return this.#unlessClosed(await writer.execute(purchase, purchase_id, refused, context), context);
    }
  }

  /**
   * Closes a charge that an operator voids, or that the gateway refuses (ruling G5). The gateway gives back what it took.
   * @throws GatewayOutcomeUnknown while the outcome is unknown
   */
  async cancel({ opened }: BeingVoided, context: CommandContext): Promise<Settled> {
    const { writer } = this;
    const { purchase_id: purchaseId, user_id, credit_card_id } = opened;
    const { amount, reference } = await this.gateway.cancel(purchaseId);
    const by = { last4: await this.#last4Of(user_id, credit_card_id), gateway: this.gateway.name, reference };
    const lost_since = this.#lostSince.get(purchaseId) ?? 0;
    const answer = ['purchase-void-asked.v1', 'purchase-charge-refused.v1'] as const;
    const from = await this.#goingOn(purchaseId, answer, context);
    return writer.execute(purchase, purchaseId, { type: 'voided', amount, by, lost_since }, from);
  }

  /**
   * Gives back the money for a cancelled coupon, with the coupon's id as the key; nothing if the purchase says that nothing is
   * due. After a final refusal, people must give it back.
   * @throws GatewayOutcomeUnknown while the outcome is unknown
   */
  async giveBack(purchaseId: string, couponId: string, context: CommandContext): Promise<Settled | undefined> {
    const { writer } = this;
    const state = await writer.read(purchase, purchaseId);
    const amount = state.status === 'sold' ? moneyDueFor(state, couponId) : undefined;
    if (state.status !== 'sold' || amount === undefined) return undefined;
    const last4 = await this.#last4Of(state.made.user_id, state.credit_card_id);
    const by = { last4, gateway: this.gateway.name };
    try {
      const { reference } = await this.gateway.refund(couponId, { key: purchaseId, amount });
      const returned = { type: 'money-returned', coupon_id: couponId, by: { ...by, reference } } as const;
      return await writer.execute(purchase, purchaseId, returned, context);
    } catch (error) {
      if (!(error instanceof GatewayRefused)) throw error;
      const refused = { reason: cut(error.message), by: { ...by, reference: null } };
      return writer.execute(purchase, purchaseId, { type: 'money-refused', coupon_id: couponId, ...refused }, context);
    }
  }

  /** The work of the two lists of calls that the gateway has not answered. */
  get work(): readonly Work[] {
    const { writer } = this;
    const checkouts: Work<OpenCheckout> = {
      list: openCheckouts,
      run: async (purchaseId) => {
        const own = this.writer.newContext(`system:${openCheckouts.name}`);
        const state = await writer.read(purchase, purchaseId);
        if (state.status !== 'charging' && state.status !== 'voiding') return;
        const context = { ...own, correlation: (await this.#lastOf(purchaseId)).metadata.correlation };
        await (state.status === 'charging' ? this.charge(state, context) : this.cancel(state, context));
      },
    };
    const refunds: Work<OpenRefund> = {
      list: openRefunds,
      run: async (couponId, { purchase_id, cause, correlation }) => {
        const own = this.writer.newContext(`system:${openRefunds.name}`);
        await this.giveBack(purchase_id, couponId, { ...own, correlation, causation: cause });
      },
    };
    return [checkouts, refunds];
  }

  /** Cancels the charge, unless the outcome of another try is written already: that counts, and its money stays where it is. */
  async #unlessClosed(asked: Settled, context: CommandContext): Promise<Settled> {
    return asked.state.status === 'voiding' ? this.cancel(asked.state, context) : asked;
  }

  async #lost({ opened: { purchase_id }, lost }: BeingCharged, by: Handling, context: CommandContext): Promise<void> {
    if (lost) this.#lostSince.set(purchase_id, (this.#lostSince.get(purchase_id) ?? 0) + 1);
    else await this.writer.execute(purchase, purchase_id, { type: 'charge-lost', by }, context);
  }

  /** The details of a card; undefined if it was deleted, and they are destroyed (ruling I13). */
  async #cardOf(userId: string, cardId: string): Promise<CardDetails | undefined> {
    const { writer, vault } = this;
    const open = async (read: 'read' | 'readNow'): Promise<CardDetails | undefined> => {
      const { life = 0 } = (await writer[read](wallet, userId)).cards.get(cardId) ?? {};
      return openCard(vault, secretOf({ card_id: cardId, life }));
    };
    // Another process may have stored it again a moment ago.
    return (await open('read')) ?? (await open('readNow'));
  }

  /** From the wallet: the vault may not have the card any more. */
  async #last4Of(userId: string | null, cardId: string | null): Promise<string | null> {
    if (userId === null || cardId === null) return null;
    const { cards, erased } = await this.writer.read(wallet, userId);
    if (erased) return null;
    return cards.get(cardId)?.last4 ?? null;
  }

  /** The context of a decision whose cause is the last event of these types. */
  async #goingOn(
    purchaseId: string,
    types: readonly PurchaseEvent['type'][],
    context: CommandContext,
  ): Promise<CommandContext> {
    const events = await this.#eventsOf(purchaseId);
    const from = events.findLast(({ type }) => (types as readonly string[]).includes(type));
    return from === undefined ? context : { ...context, causation: causationOf(from) };
  }

  async #lastOf(purchaseId: string): Promise<Recorded> {
    const last = (await this.#eventsOf(purchaseId)).at(-1);
    if (last === undefined) throw new Error(`the purchase ${purchaseId} has no events`);
    return last;
  }

  /** All events of a purchase; before its sale it has only a handful. */
  #eventsOf(purchaseId: string): Promise<readonly Recorded[]> {
    return this.writer.events(streamName(purchase.category, purchaseId));
  }
}

function cut(words: string): string {
  return beginning(words, MOST_OF_REASON);
}

/** The gateway's outcome; undefined while unknown. The work lists ask for it later. */
export async function unlessUnknown<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof GatewayOutcomeUnknown) return undefined;
    throw error;
  }
}
