import { Controller, Param } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { z } from 'zod';
import { Freshness } from '#eventsourcing';
import {
  AllowFor,
  answerList,
  type Call,
  DeleteCall,
  Describe,
  DescribeUnder,
  ListOfCaller,
  ListOfUser,
  OF_USER,
  partnerOf,
  PostCall,
  read,
  SUCCESS,
  success,
  text,
  TheCall,
  TokenScope,
  type UsersList,
  usersPageOf,
} from '#http';
import { FindUser } from '#people';
import { RemoveSavedDeal } from './remove-saved-deal.commands.js';
import { SaveDeal } from './save-deal.commands.js';
import { SAVED_DEAL } from './saved-deal.answer.js';
import { presentSavedDeal } from './saved-deal.present.js';
import { ListSavedDeals, OwnerOfSavedDeal } from './saved-deal.queries.js';

const SAVE = z.object({ deal_id: text('id'), ...OF_USER.shape });

const LIST: UsersList = { name: 'saved_deals', item: SAVED_DEAL };

/** Deals that users keep (interface 4.11). */
@AllowFor('partner')
@TokenScope('saved_deal')
@DescribeUnder('Saved deals')
@Controller()
export class SavedDealsController {
  constructor(
    private readonly freshness: Freshness,
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @ListOfUser(LIST)
  list(@TheCall() call: Call, @Param('user_id') userId: string): Promise<object> {
    return this.#list(call, userId);
  }

  @ListOfCaller(LIST)
  listOwn(@TheCall() call: Call): Promise<object> {
    return this.#list(call);
  }

  async #list(call: Call, inPath?: string): Promise<object> {
    const { partnerId, userId, named, paging, since } = usersPageOf(call, this.freshness, 'saved_deal', inPath);
    await this.queries.execute(new FindUser(partnerId, userId, since, named));
    const found = await this.queries.execute(new ListSavedDeals(userId, paging, since));
    return answerList(found, (rows) => ({ saved_deals: rows.map(presentSavedDeal) }));
  }

  @Describe({
    summary: 'Saves a deal for a user. If the user has saved it already, the answer is the existing one.',
    parameters: SAVE,
    answer: success({ saved_deal: SAVED_DEAL }),
    otherwise: { 404: 'error' },
    example: { deal_id: 'rowing-on-the-charles', user_id: '<user_id>' },
  })
  @PostCall('saved_deals')
  async save(@TheCall() call: Call): Promise<object> {
    const { deal_id, user_id } = read(SAVE, call.parameters, 'saved_deal');
    const command = new SaveDeal(partnerOf(call).id, user_id, deal_id, call.command);
    const { row, position } = await this.commands.execute(command);
    call.position = position;
    return { status: 'success', saved_deal: presentSavedDeal(row) };
  }

  @TokenScope('saved_deal', { saved_deal_id: OwnerOfSavedDeal })
  @Describe({ summary: 'Removes a saved deal.', answer: SUCCESS })
  @DeleteCall('saved_deals/:saved_deal_id')
  async remove(@TheCall() call: Call, @Param('saved_deal_id') savedDealId: string): Promise<object> {
    const command = new RemoveSavedDeal(partnerOf(call).id, savedDealId, call.command);
    const { position } = await this.commands.execute(command);
    call.position = position;
    return { status: 'success' };
  }
}
