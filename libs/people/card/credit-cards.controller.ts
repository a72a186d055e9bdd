import { Inject, Controller, Get, Param } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { z } from 'zod';
import { Freshness, Clock } from '#eventsourcing';
import {
  AllowFor,
  answerList,
  boolean,
  type Call,
  DeleteCall,
  Describe,
  DescribeUnder,
  faultsOf,
  integer,
  listOf,
  OF_USER,
  optional,
  PAGING,
  pagingOf,
  partnerOf,
  PostCall,
  PutCall,
  read,
  readTogether,
  sinceOf,
  SUCCESS,
  success,
  TheCall,
  TokenScope,
  ValidationFailed,
} from '#http';
import { CARD_SHOWN } from './card.answer.js';
import { presentCard } from './card.present.js';
import { ListCards, OwnerOfCard } from './card.queries.js';
import { CARD, readCard, type CardDetails } from './card.schema.js';
import { DeleteCard } from './delete-card.commands.js';
import { SetDefaultCard } from './set-default-card.commands.js';
import { StoreCard } from './store-card.commands.js';

/** Month and year are integers here and strings in a full purchase (interface 4.10, 4.6.1); both calls take either (ruling A2). */
const STORE = OF_USER.extend(CARD.shape).extend({ month: integer('month'), year: integer('year') });

const LIST = OF_USER.extend({
  deleted: optional(boolean()).describe('Whether the list has deleted cards too.'),
});

/** The sandbox gateway accepts this number. */
const STORE_EXAMPLE = {
  user_id: '<user_id>',
  number: '4242424242424242',
  verification_value: '123',
  month: 12,
  year: 2035,
  zip_code: '02114',
};

/** Stored cards of users (interface 4.10). */
@AllowFor('partner')
@TokenScope('credit_card')
@DescribeUnder('Credit cards')
@Controller('credit_cards')
export class CreditCardsController {
  constructor(
    private readonly freshness: Freshness,
    @Inject(Clock) private readonly clock: Clock,
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Describe({
    summary: 'Lists the cards of a user.',
    parameters: LIST.extend(PAGING),
    answer: listOf('credit_cards', CARD_SHOWN),
  })
  @Get()
  async list(@TheCall() call: Call): Promise<object> {
    const [{ user_id, deleted }, paging] = readTogether(
      () => read(LIST, call.parameters, 'credit_card'),
      () => pagingOf(call.parameters, 'credit_card'),
    );
    const since = sinceOf(call, this.freshness);
    const found = await this.queries.execute(
      new ListCards(partnerOf(call).id, user_id, deleted ?? false, paging, since),
    );
    return answerList(found, (rows) => ({ credit_cards: rows.map(presentCard) }));
  }

  /** Checks the verification value and drops it: storing a card asks no gateway (ruling D7). */
  @Describe({
    summary: 'Stores a card of a user.',
    parameters: STORE,
    answer: success({ credit_card_id: z.string() }),
    example: STORE_EXAMPLE,
  })
  @PostCall('')
  async store(@TheCall() call: Call): Promise<object> {
    const { userId, details } = this.#readInput(call);
    const command = new StoreCard(partnerOf(call).id, userId, details, call.command);
    const { row, position } = await this.commands.execute(command);
    call.position = position;
    return { status: 'success', credit_card_id: row };
  }

  @TokenScope('credit_card', { credit_card_id: OwnerOfCard })
  @Describe({ summary: 'Makes a card the default of its user.', answer: SUCCESS })
  @PutCall(':credit_card_id/default')
  async setDefault(@TheCall() call: Call, @Param('credit_card_id') cardId: string): Promise<object> {
    const since = sinceOf(call, this.freshness);
    const command = new SetDefaultCard(partnerOf(call).id, cardId, since, call.command);
    const { position } = await this.commands.execute(command);
    call.position = position;
    return { status: 'success' };
  }

  @TokenScope('credit_card', { credit_card_id: OwnerOfCard })
  @Describe({
    summary:
      'Deletes a card: it buys nothing more, and its number is destroyed as soon as no open charge needs it. If it was the default, the newest other card becomes it. A card that is deleted stays so, with the same answer; whoever stores its number again has the same card again.',
    answer: SUCCESS,
  })
  @DeleteCall(':credit_card_id')
  async delete(@TheCall() call: Call, @Param('credit_card_id') cardId: string): Promise<object> {
    const since = sinceOf(call, this.freshness);
    const command = new DeleteCard(partnerOf(call).id, cardId, since, call.command);
    const { position } = await this.commands.execute(command);
    call.position = position;
    return { status: 'success' };
  }

  /** Reports the faults of the user's id and of the card together. */
  #readInput({ parameters }: Call): { userId: string; details: CardDetails } {
    const user = OF_USER.safeParse(parameters);
    const faults = user.success ? [] : faultsOf(user.error, parameters, 'credit_card');
    try {
      const { details } = readCard(parameters, this.clock.now());
      if (user.success) return { userId: user.data.user_id, details };
    } catch (error) {
      if (!(error instanceof ValidationFailed)) throw error;
      faults.push(...error.entries);
    }
    throw new ValidationFailed(faults);
  }
}
