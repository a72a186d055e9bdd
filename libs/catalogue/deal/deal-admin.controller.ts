import { Inject, Controller, Get, Param } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { z } from 'zod';
import { Writer, Clock } from '#eventsourcing';
import {
  AllowFor,
  type Call,
  Describe,
  integer,
  oneOfWords,
  PostCall,
  PutCall,
  read,
  type AnswerOf,
  success,
  text,
  TheCall,
} from '#http';
import { isoTime } from '#kernel';
import { inventory, unitsLeft, type InventoryState } from '#purchasing/model';
import { DEAL_SET, DEAL_UNITS, STOCK_SET } from './deal.answer.js';
import { MoveDeal, PutDeal, SetStock } from './deal.commands.js';
import { withMissingOfDeal } from './deal.required.js';
import type { DealRow } from './deal.row.js';
import { DEAL_BODY, readGivenDeal, type GivenDeal } from './deal.schema.js';
import { DEAL_STATES, stateAt } from './deal.state.js';
import { GetOperatedDeal } from './operated-deal.queries.js';

const MOVE = z.object({ to: oneOfWords(DEAL_STATES), reason: text('reason').optional() });
const STOCK = z.object({
  units: integer('count').nullable().describe('The deal’s `stock`: all units, sold ones included; null for no limit.'),
});

const DEAL_ANSWER = success({ deal: DEAL_SET });
const DEAL_EXAMPLE = {
  title: 'A Day on Tram 28',
  region_id: 'lisbon',
  start_at: '2026-01-01T00:00:00Z',
  end_at: '2036-01-01T00:00:00Z',
  current_price: 900,
  value: 1500,
  stock: 50,
  max_per_user: 2,
};

/** Deals, for operators (ruling G4). */
@AllowFor('operator')
@Controller('operators/deals')
export class DealAdminController {
  constructor(
    private readonly writer: Writer,
    @Inject(Clock) private readonly clock: Clock,
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Describe({
    summary: 'Creates a deal, or changes the given attributes of one.',
    parameters: DEAL_BODY,
    bodyLimit: 'deal',
    answer: DEAL_ANSWER,
    example: DEAL_EXAMPLE,
  })
  @PutCall(':slug')
  async put(@TheCall() call: Call, @Param('slug') id: string): Promise<object> {
    const { deal: given } = await this.#read(id, call.parameters);
    const answer = await this.#done(call, new PutDeal(id, given, call.command));
    const { attributes, localExpiry, stock, codes } = given;
    const { current_price } = attributes;
    call.act = {
      words: 'a deal was set',
      of: {
        deal: id,
        attributes: [...Object.keys(attributes), ...(localExpiry === undefined ? [] : ['expires_at'])],
        ...(current_price !== undefined && { current_price }),
        ...(stock !== undefined && { stock }),
        ...(codes.length > 0 && { codes: codes.length }),
      },
    };
    return answer;
  }

  @Describe({
    summary: 'Shows a deal as it was set, and its units as they are now.',
    answer: success({ deal: DEAL_SET, units: DEAL_UNITS }),
  })
  @AllowFor('auditor')
  @Get(':slug')
  async show(@Param('slug') id: string): Promise<object> {
    const { row, stock } = await this.queries.execute(new GetOperatedDeal(id));
    return { status: 'success', deal: this.#present(row, stock), units: presentUnits(stock) };
  }

  @Describe({
    summary: 'Moves a deal through its workflow.',
    parameters: MOVE,
    answer: DEAL_ANSWER,
    refuses: { update_failed: 'a deal that is landed cannot become in-flight' },
    example: { to: 'in-review', reason: 'complete' },
  })
  @PostCall(':slug/transitions')
  async move(@TheCall() call: Call, @Param('slug') id: string): Promise<object> {
    const { to, reason } = read(MOVE, call.parameters, 'deal');
    const answer = await this.#done(call, new MoveDeal(id, to, reason ?? null, call.command));
    call.act = { words: 'a deal was moved', of: { deal: id, to } };
    return answer;
  }

  @Describe({
    summary: 'Sets the number of all units, sold ones included.',
    parameters: STOCK,
    answer: success({ stock: STOCK_SET }),
    example: { units: 50 },
  })
  @PutCall(':slug/stock')
  async setStock(@TheCall() call: Call, @Param('slug') id: string): Promise<object> {
    const { units } = read(STOCK, call.parameters, 'deal');
    const done = await this.commands.execute(new SetStock(id, units, call.command));
    call.position = done.position;
    call.act = { words: 'the stock of a deal was set', of: { deal: id, stock: units } };
    return { status: 'success', stock: done.row };
  }

  /** @throws ValidationFailed with all that is wrong or missing */
  async #read(slug: string, parameters: Call['parameters']): Promise<GivenDeal> {
    try {
      return readGivenDeal(slug, parameters);
    } catch (error) {
      return withMissingOfDeal(this.writer, slug, parameters, error);
    }
  }

  async #done(call: Call, command: PutDeal | MoveDeal): Promise<AnswerOf<typeof DEAL_ANSWER>> {
    const { row, position } = await this.commands.execute(command);
    call.position = position;
    const stock = await this.writer.read(inventory, row.deal_id);
    return { status: 'success', deal: this.#present(row, stock) };
  }

  #present(row: DealRow, { stock }: InventoryState): AnswerOf<typeof DEAL_SET> {
    const { deal_id: id, attributes } = row;
    const times = {
      start_at: isoTime(attributes.start_at),
      end_at: isoTime(attributes.end_at),
      expires_at: attributes.expires_at === null ? null : isoTime(attributes.expires_at),
    };
    const state = stateAt(row, this.clock.now());
    return { id, state, ...attributes, ...times, stock };
  }
}

function presentUnits(state: InventoryState): AnswerOf<typeof DEAL_UNITS> {
  const { stock, held, sold, returned, codes, holds, checkouts, resales, queue } = state;
  const left = unitsLeft(state);
  const first = queue.first();
  return {
    stock,
    held,
    sold,
    returned: returned.size,
    left: left === Infinity ? null : left,
    codes_left: codes === null ? null : codes.unsold,
    open_holds: holds.size,
    open_checkouts: checkouts.size,
    open_resales: resales.size,
    next_deadline: first === undefined ? null : isoTime(first.deadline),
  };
}
