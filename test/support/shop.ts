import type { CommandContext, CommandLoop } from '#eventsourcing';
import type { Engine } from '#platform';
import { DAY, streamName, type EventMetadata, type Recorded } from '#kernel';
import { newProfile } from '#people';
import { user, wallet } from '#people/model';
import {
  Charging,
  DealDetails,
  PaymentGateway,
  PurchasingSettings,
  Tries,
  type ChargeOutcome,
  type DealAsSold,
  type Details,
} from '#purchasing';
import { inventory, type PurchaseRow, purchasing } from '#purchasing/model';
import {
  Buy,
  BuyHandler,
  OrderParts,
  Claim,
  ClaimHandler,
  CancelCoupon,
  CancelCouponHandler,
  Redeem,
  RedeemHandler,
  RefundPurchase,
  RefundPurchaseHandler,
  ReissueCoupon,
  ReissueCouponHandler,
  Release,
  ReleaseHandler,
  Reserve,
  ReserveHandler,
  VoidPurchase,
  VoidPurchaseHandler,
  type CouponRow,
} from '#purchasing/module';
import { openPeopleEngine, type PeopleEngine } from './people-engine.js';
import { terms } from './sale.js';

/** A gateway that does what a test says; by default it approves and gives back. */
export class ScriptedGateway extends PaymentGateway {
  override readonly name = 'told';
  /** Every call, in order: its name, its key, and cents where it has them. */
  readonly calls: string[] = [];
  onCharge: () => Promise<ChargeOutcome> = async () => ({ kind: 'approved', reference: 'c-1' });
  onRefund: () => ReturnType<PaymentGateway['refund']> = async () => ({ reference: 'r-1' });
  onCancel: () => ReturnType<PaymentGateway['cancel']> = async () => ({ amount: 0, reference: 'x-1' });

  override charge(...[key, { amount }]: Parameters<PaymentGateway['charge']>): ReturnType<PaymentGateway['charge']> {
    this.calls.push(`charge ${key} ${amount}`);
    return this.onCharge();
  }
  override refund(...[key, { amount }]: Parameters<PaymentGateway['refund']>): ReturnType<PaymentGateway['refund']> {
    this.calls.push(`refund ${key} ${amount}`);
    return this.onRefund();
  }
  override cancel(key: string): ReturnType<PaymentGateway['cancel']> {
    this.calls.push(`cancel ${key}`);
    return this.onCancel();
  }
}

/** The catalogue has no details of the deal: it is not shipped. */
class NoDetails extends DealDetails {
  override find(): Promise<Details | undefined> {
    return Promise.resolve(undefined);
  }
  override asSold(): Promise<DealAsSold | undefined> {
    return Promise.resolve(undefined);
  }
}

/** What partners, their buyers and operators ask of a process. */
export interface Calls {
  /** @param run.holderId the user whose access token reserves */
  reserve(quantity: number, run?: Run & { readonly holderId?: string }): Promise<PurchaseRow>;
  claim(id: string, userId?: string): Promise<PurchaseRow>;
  release(id: string): Promise<PurchaseRow>;
  /** @param userId the user in the path */
  redeem(couponId: string, userId?: string, run?: Run): Promise<CouponRow>;
  /** Buys with Ann's card. */
  buy(quantity: number, run?: Run): Promise<PurchaseRow>;
  refund(id: string, run?: Run): Promise<PurchaseRow>;
  voidCharge(id: string): Promise<PurchaseRow>;
  cancel(couponId: string): Promise<CouponRow>;
  /** The new coupon. */
  reissue(couponId: string, run?: Run): Promise<CouponRow>;
}

/**
 * A shop of partner `acme` with the deal `spa-day`, the user Ann and her card: the handlers of `purchasing` without HTTP and
 * views.
 */
export interface Shop extends Calls {
  readonly engine: Engine;
  /** The command loop of another process on the same log, which knows only these followers. */
  readonly otherLoop: PeopleEngine['otherLoop'];
  readonly engineOf: PeopleEngine['engineOf'];
  /** The same calls at the process that has this command loop. */
  through(loop: CommandLoop): Calls;
  readonly gateway: ScriptedGateway;
  readonly deals: DealDetails;
  readonly charging: Charging;
  readonly deal: string;
  readonly ann: string;
  readonly card: string;
  context(): CommandContext;
  newUser(id: string): Promise<string>;
  /** From now on the user reads as deleted. */
  hide(userId: string): Promise<void>;
  /** The content of a stream. */
  stored(category: string, id: string): Promise<readonly StoredEvent[]>;
  close(): Promise<void>;
}

/** The command of a run. */
export interface Run {
  readonly context?: CommandContext;
}

export type StoredEvent = Pick<Recorded, 'type' | 'data'> & { readonly metadata: EventMetadata };

const PARTNER = 'acme';
const NO_LIMITS = { card: null, user: null };

/** @param stock units of the deal */
export async function openShop(stock = 10): Promise<Shop> {
  const { engine, engineOf, context, otherLoop, close } = await openPeopleEngine([purchasing]);
  const gateway = new ScriptedGateway();
  const { loop, log, clock } = engine;
  const now = clock.now();
  const sale = terms({ start_at: now - 1_000, end_at: now + DAY, expires_at: null });
  const deal = sale.deal.id;
  await loop.execute(inventory, deal, { type: 'set-terms', terms: sale }, context());
  await loop.execute(
    inventory,
    deal,
    { type: 'set-stock', looked: Infinity, units: stock, change_id: 'first' },
    context(),
  );
  const ann = await newUser('ann');
  const card = await storeCard(ann);
  const noCommands = { execute: () => Promise.reject(new Error('everything is stored')) };
  const deals = new NoDetails();
  const charging = chargingOf(engine);

  /** @param own the engine of the process */
  function chargingOf(own: Engine): Charging {
    const { writer, keyring, vault } = own;
    return new Charging(writer, keyring, vault, gateway, new Tries(own.reader, own.clock, own.time, NO_LIMITS));
  }

  async function newUser(id: string): Promise<string> {
    const profile = await engine.personalData.seal(id, newProfile({ email: `${id}@example.org` }, 0));
    const registered = { user_id: id, partner_id: PARTNER, profile, password: null, address: 'home', taking: 1 };
    const created_at = clock.now();
    await loop.execute(user, id, { type: 'register', user: { ...registered, created_at } }, context());
    return id;
  }

  async function storeCard(user_id: string): Promise<string> {
    const card_id = `card-of-${user_id}`;
    const details = { number: '4242424242424242', month: '12', year: '2035', zip_code: '02114' };
    await engine.vault.put(card_id, Buffer.from(JSON.stringify(details)));
    const stored = {
      card_id,
      user_id,
      partner_id: PARTNER,
      last4: '4242',
      brand: 'visa',
      number_hash: '4242',
    } as const;
    await loop.execute(wallet, user_id, { type: 'store', card: stored, life: 0 }, context());
    return card_id;
  }

  /** @param own the engine of the process that is asked */
  function callsOf(own: Engine, charge: Charging): Calls {
    const { writer, reader, keyring, vault, time } = own;
    const tries = new Tries(reader, own.clock, time, NO_LIMITS);
    const parts = new OrderParts(writer, reader, keyring, vault, own.clock);
    const buying = new BuyHandler(parts, noCommands as never, deals, charge, new PurchasingSettings(100), tries);
    return {
      async reserve(quantity, { context: given = context(), holderId = null } = {}) {
        return (
          await new ReserveHandler(writer, keyring, deals).execute(
            new Reserve(PARTNER, deal, quantity, holderId, given),
          )
        ).row;
      },
      async claim(id, userId = ann) {
        return (await new ClaimHandler(writer, keyring, deals).execute(new Claim(PARTNER, id, userId, context()))).row;
      },
      async release(id) {
        return (await new ReleaseHandler(writer).execute(new Release(PARTNER, id, context()))).row;
      },
      async redeem(couponId, userId, { context: given = context() } = {}) {
        return (await new RedeemHandler(writer, reader).execute(new Redeem(PARTNER, couponId, userId, given))).row;
      },
      async buy(quantity, { context: given = context() } = {}) {
        const order = {
          kind: 'stored-card',
          deal_id: deal,
          quantity,
          expected_price: sale.price,
          session_id: undefined,
          readable: true,
          buyer: { by: 'id', id: ann, withDetails: false },
          card: { by: 'id', id: card, withDetails: false },
          address: { by: 'nothing' },
          verification_value: undefined,
        } as const;
        return (await buying.execute(new Buy(PARTNER, order, given, 0n))).row;
      },
      async refund(id, { context: given = context() } = {}) {
        return (
          await new RefundPurchaseHandler(writer, keyring, time, charge).execute(
            new RefundPurchase(id, 'closed', given),
          )
        ).row;
      },
      async voidCharge(id) {
        return (await new VoidPurchaseHandler(writer, charge).execute(new VoidPurchase(id, 'gone', context()))).row;
      },
      async cancel(couponId) {
        return (
          await new CancelCouponHandler(writer, reader, charge).execute(new CancelCoupon(couponId, 'lost', context()))
        ).row;
      },
      async reissue(couponId, { context: given = context() } = {}) {
        const reissuing = { terms: 'as_sold', expires_at: undefined, redeemed_by_mistake: false } as const;
        const command = new ReissueCoupon(couponId, 'lost', reissuing, given);
        return (await new ReissueCouponHandler(writer, reader, keyring, deals).execute(command)).row;
      },
    };
  }

  return {
    ...callsOf(engine, charging),
    engine,
    engineOf,
    otherLoop,
    through(other) {
      const own = engineOf(other);
      return callsOf(own, chargingOf(own));
    },
    gateway,
    deals,
    charging,
    deal,
    ann,
    card,
    context,
    newUser,
    async hide(userId) {
      const known = await loop.read(user, userId);
      if (known === null) throw new Error(`there is no user ${userId}`);
      const { version: based_on, profile } = known;
      await loop.execute(user, userId, { type: 'change', based_on, profile, password: null, deleted: true }, context());
    },
    stored: (category, id) => log.readStream(streamName(category, id), 0, 1_000),
    close,
  };
}
