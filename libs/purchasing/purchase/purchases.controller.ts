import { Inject, Controller, Get, Param, Res } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { Freshness, Keyring, Clock, Time, shownNow } from '#eventsourcing';
import {
  AllowFor,
  type Call,
  Describe,
  DescribeUnder,
  EXPIRES_AT,
  ListOfCaller,
  ListOfUser,
  NoTokens,
  OF_USER,
  ownPageOf,
  partnerOf,
  PostCall,
  PublicUrl,
  PutCall,
  read,
  readTogether,
  sendJson,
  sinceOf,
  text,
  TheCall,
  TokenScope,
  units,
  type UsersList,
  userTokenOf,
} from '#http';
import type { Instant } from '#kernel';
import { FindUser } from '#people';
import { Claim } from '../reservation/claim.commands.js';
import { Release } from '../reservation/release.commands.js';
import { Reserve } from '../reservation/reserve.commands.js';
import { presentingOf } from '../coupon/coupon.present.js';
import { PURCHASE, PURCHASE_ANSWER } from './purchase.answer.js';
import { FILTERS } from './purchase.parameters.js';
import { PurchaseItems } from './purchase-items.js';
import { presentPurchase } from './purchase.present.js';
import { GetPurchase, ListPurchases, OwnerOfPurchase } from './purchase.queries.js';
import type { PurchaseRow } from './purchase.row.js';

const RESERVE = z.object({ deal_id: text('id'), num_bought: units() });
/** The user who a reservation is claimed for. */
const CLAIM = OF_USER;

/** A reservation belongs to the user whose access token placed it, and otherwise to nobody but the partner until its claim. */
const OWNED = { purchase_id: OwnerOfPurchase };

const LIST: UsersList = {
  name: 'purchases',
  item: PURCHASE,
  filters: FILTERS.shape,
  partners: { summary: 'Without a user it lists all purchases and reservations of the partner, newest first.' },
};

/** Purchases and reservations (interface 4.6). */
@AllowFor('partner')
@TokenScope('purchase')
@DescribeUnder('Purchases')
@Controller()
export class PurchasesController {
  constructor(
    private readonly freshness: Freshness,
    private readonly keyring: Keyring,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(Time) private readonly time: Time,
    private readonly publicUrl: PublicUrl,
    private readonly items: PurchaseItems,
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Describe({
    summary:
      'Holds units for five minutes; `Holdfast-Expires-At` shows the end. Claim the units once the buyer has paid you; release them if the payment failed. With an access token, the hold belongs to its user, who may hold at most 10 units of a deal, and no more than the deal’s maximum with what they have bought.',
    parameters: RESERVE,
    answer: PURCHASE_ANSWER,
    otherwise: { 404: 'error' },
    headers: ['ExpiresAt'],
    refuses: { cannot_fufill: 'not enough units are left: 2 available' },
    example: { deal_id: 'rowing-on-the-charles', num_bought: 2 },
  })
  @PostCall('purchases/reserve')
  async reserve(@TheCall() call: Call, @Res({ passthrough: true }) reply: FastifyReply): Promise<object> {
    const { deal_id, num_bought } = read(RESERVE, call.parameters, 'purchase');
    const holder = userTokenOf(call)?.user_id ?? null;
    const command = new Reserve(partnerOf(call).id, deal_id, num_bought, holder, call.command);
    return this.#done(call, command, reply);
  }

  @Describe({
    summary:
      'Turns held units into a purchase once the buyer has paid you; no access token can do that. A hold that an access token has placed can be claimed only for its user. You can also claim a hold that has run out or was released: the claim takes fresh units at the price of the hold, if the deal still sells and has units left. Otherwise the answer is `cannot_fufill`: give the money back. A second claim for the same user has the same purchase as its answer.',
    parameters: CLAIM,
    answer: PURCHASE_ANSWER,
    refuses: { cannot_fufill: 'nothing is left' },
    example: { user_id: '<user_id>' },
  })
  @NoTokens('purchase')
  @PutCall('purchases/:purchase_id/claim')
  async claim(
    @TheCall() call: Call,
    @Param('purchase_id') id: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<object> {
    const { user_id } = read(CLAIM, call.parameters, 'purchase');
    return this.#done(call, new Claim(partnerOf(call).id, id, user_id, call.command), reply);
  }

  @Describe({
    summary:
      'Gives held units back. A second release, or one after the hold ran out, has the same answer. A purchase cannot be released: operators refund it.',
    answer: PURCHASE_ANSWER,
    refuses: { cannot_fufill: 'the reservation was claimed: its units are sold' },
  })
  @TokenScope('purchase', OWNED)
  @PutCall('purchases/:purchase_id/release')
  async release(
    @TheCall() call: Call,
    @Param('purchase_id') id: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<object> {
    return this.#done(call, new Release(partnerOf(call).id, id, call.command), reply);
  }

  @Describe({
    summary:
      'Shows a reservation or purchase. A hold that has run out shows as `released`; a claimed one has its coupons.',
    answer: PURCHASE_ANSWER,
    headers: ['ExpiresAt'],
  })
  @TokenScope('purchase', OWNED)
  @Get('purchases/:purchase_id')
  async get(
    @TheCall() call: Call,
    @Param('purchase_id') id: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<object> {
    const since = sinceOf(call, this.freshness);
    const query = new GetPurchase(partnerOf(call).id, id, since);
    const found = await this.queries.execute(query);
    const now = shownNow(this.clock);
    showExpiry(reply, found.row, now);
    return sendJson(reply, await this.items.one(found, now));
  }

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
      () => ownPageOf(call, this.freshness, 'purchase', LIST, inPath),
      () => read(FILTERS, call.parameters, 'purchase'),
    );
    if (userId !== undefined) await this.queries.execute(new FindUser(partnerId, userId, since, named));
    const of = userId === undefined ? { partner_id: partnerId } : { user_id: userId };
    const query = new ListPurchases(of, filters, paging, since);
    const found = await this.queries.execute(query);
    if (typeof found === 'number') return { status: 'success', count: found };
    return sendJson(reply, await this.items.page(found, shownNow(this.clock)));
  }

  async #done(call: Call, command: Reserve | Claim | Release, reply: FastifyReply): Promise<object> {
    const { row, position } = await this.commands.execute(command);
    call.position = position;
    return this.#one(row, reply);
  }

  async #one(row: PurchaseRow, reply: FastifyReply): Promise<object> {
    const now = shownNow(this.clock);
    showExpiry(reply, row, now);
    return {
      status: 'success',
      purchase: await presentPurchase(row, now, presentingOf(this.keyring, this.time, this.publicUrl)),
    };
  }
}

/** A header shows the end of a hold, because the interface fixes the body. */
function showExpiry(reply: FastifyReply, { fulfillment_state, deadline }: PurchaseRow, now: Instant): void {
  if (fulfillment_state !== 'reserved' || deadline === null || now >= deadline) return;
  void reply.header(EXPIRES_AT, new Date(deadline).toISOString());
}
