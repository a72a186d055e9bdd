import { Controller, Param } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { z } from 'zod';
import { Engine, type Done } from '#eventsourcing';
import { AllowFor, integer, oneOfWords, PostCall, PutCall, read, text, TheCall, type Call } from '#http';
import { MoveDeal, PutDeal, SetStock, type StockAfter } from './deal.commands.js';
import { readDeal, readDealSlug } from './deal.schema.js';
import { DEAL_STATES, stateAt, type DealAfter } from './deal.state.js';

const MOVE = z.object({ to: oneOfWords(DEAL_STATES), reason: text().optional() });
const STOCK = z.object({ units: integer(0).nullable() });

/** Deals, for operators (ruling G4). */
@AllowFor('operator')
@Controller('operators/deals')
export class DealAdminController {
  constructor(
    private readonly engine: Engine,
    private readonly commands: CommandBus,
  ) {}

  @PutCall(':slug')
  async put(@TheCall() call: Call, @Param('slug') id: string): Promise<object> {
    return this.#done(call, new PutDeal(readDealSlug(id), readDeal(call.parameters), call.command));
  }

  @PostCall(':slug/transitions')
  async move(@TheCall() call: Call, @Param('slug') id: string): Promise<object> {
    const { to, reason } = read(MOVE, call.parameters, 'deal');
    return this.#done(call, new MoveDeal(id, to, reason ?? null, call.command));
  }

  @PutCall(':slug/stock')
  async setStock(@TheCall() call: Call, @Param('slug') id: string): Promise<object> {
    const { units } = read(STOCK, call.parameters, 'deal');
    const done = await this.commands.execute<SetStock, Done<StockAfter>>(new SetStock(id, units, call.command));
    call.position = done.position;
    return { status: 'success', stock: done.row };
  }

  async #done(call: Call, command: PutDeal | MoveDeal): Promise<object> {
    const { row, position } = await this.commands.execute<typeof command, Done<DealAfter>>(command);
    call.position = position;
    const { deal_id: id, attributes } = row;
    return { status: 'success', deal: { id, state: stateAt(row, this.engine.clock.now()), ...attributes } };
  }
}
