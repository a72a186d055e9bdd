import { Controller } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { Engine, type Done } from '#eventsourcing';
import { AllowFor, partnerOf, PostCall, sinceOf, TheCall, type Call } from '#http';
import { presentPurchase } from '../purchase/purchase.present.js';
import { Buy, type Bought } from './buy.commands.js';
import { readOrder, type OrderKind } from './order.js';

/** Purchases that our gateway charges (interface 4.6). */
@AllowFor('partner')
@Controller('purchases')
export class CheckoutController {
  constructor(
    private readonly engine: Engine,
    private readonly commands: CommandBus,
  ) {}

  /** User, card and purchase in one call (interface 4.6.1). */
  @PostCall('full')
  async full(@TheCall() call: Call): Promise<object> {
    return { status: 'success', purchase: await this.#buy('full', call) };
  }

  /** With a stored card. Its answer has no list of coupons (ruling B6). */
  @PostCall('')
  async storedCard(@TheCall() call: Call): Promise<object> {
    return { status: 'success', purchase: { ...(await this.#buy('stored-card', call)), coupons: null } };
  }

  async #buy(kind: OrderKind, call: Call): Promise<object> {
    const order = readOrder(kind, call.parameters);
    const since = sinceOf(call, this.engine.freshness);
    const command = new Buy(partnerOf(call).id, order, call.command, call.resumed, since);
    const { row, position } = await this.commands.execute<Buy, Done<Bought>>(command);
    call.position = position;
    if (row.kind === 'refused') throw row.error;
    return presentPurchase(row.row, this.engine.clock.now(), this.engine);
  }
}
