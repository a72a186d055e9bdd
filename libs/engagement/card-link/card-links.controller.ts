import { Inject, Controller, Param } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { z } from 'zod';
import { Freshness, Clock } from '#eventsourcing';
import {
  AllowFor,
  answerList,
  type Call,
  Describe,
  DescribeUnder,
  ListOfCaller,
  ListOfUser,
  NoTokens,
  oneOfWords,
  optional,
  partnerOf,
  PostCall,
  PutCall,
  read,
  readTogether,
  SUCCESS,
  success,
  TheCall,
  TokenScope,
  type UsersList,
  usersPageOf,
  words,
} from '#http';
import { LISTS } from '#kernel/bounds';
import { FindUser } from '#people';
import { CARD_LINK } from './card-link.answer.js';
import { presentCardLink } from './card-link.present.js';
import { ListCardLinks, OwnerOfCardLink } from './card-link.queries.js';
import { CARD_LINK_STATES } from './card-link.row.js';
import { LINK, readLink, readTransaction, REDEEM } from './card-link.schema.js';
import { LinkUser } from './link-user.commands.js';
import { RedeemLink } from './redeem-link.commands.js';
import { Relink } from './relink.commands.js';
import { Unlink } from './unlink.commands.js';

const FILTER = z.object({
  filter: optional(words('filters', oneOfWords(CARD_LINK_STATES))).describe(
    'Card links in any of these states; all if absent.',
  ),
});
const LIST: UsersList = { name: 'card_links', item: CARD_LINK, filters: FILTER.shape };

const ONE = success({ card_link: CARD_LINK });
const ONE_OR_SEVERAL = success({
  card_link: CARD_LINK.optional().describe('The link; absent if `deal_ids` was sent.'),
  card_links: z
    .array(CARD_LINK)
    .max(LISTS.deals)
    .optional()
    .describe('The links in the order of the deals, each deal once; only if `deal_ids` was sent.'),
});

/** The links of users' cards to card-linked deals (interface 4.13). */
@AllowFor('partner')
@TokenScope('card_link')
@DescribeUnder('Card links')
@Controller()
export class CardLinksController {
  constructor(
    private readonly freshness: Freshness,
    @Inject(Clock) private readonly clock: Clock,
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
    const [{ partnerId, userId, named, paging, since }, { filter }] = readTogether(
      () => usersPageOf(call, this.freshness, 'card_link', inPath),
      () => read(FILTER, call.parameters, 'card_link'),
    );
    await this.queries.execute(new FindUser(partnerId, userId, since, named));
    const found = await this.queries.execute(new ListCardLinks(userId, filter ?? [], paging, since));
    return answerList(found, (rows) => ({ card_links: rows.map(presentCardLink) }));
  }

  @Describe({
    summary:
      'Links a user to a card-linked deal, or to several. An existing link stays as it is: PUT /card_links/{card_link_id}/link links it again.',
    parameters: LINK,
    answer: ONE_OR_SEVERAL,
    otherwise: { 404: 'error' },
    refuses: { update_failed: 'the deal cannot be linked: all its places are taken (1000)' },
    example: { user_id: '<user_id>', deal_id: 'five-dollars-off-lunch' },
  })
  @PostCall('card_links')
  async link(@TheCall() call: Call): Promise<object> {
    const { userId, dealIds, isList } = readLink(call.parameters);
    const command = new LinkUser(partnerOf(call).id, userId, dealIds, call.command);
    const { row, position } = await this.commands.execute(command);
    call.position = position;
    const links = row.map(presentCardLink);
    return { status: 'success', ...(isList ? { card_links: links } : { card_link: links[0] }) };
  }

  @TokenScope('card_link', { card_link_id: OwnerOfCardLink })
  @Describe({
    summary: 'Ends a card link, which frees its place for another user.',
    answer: ONE,
    refuses: { update_failed: 'the card link is fulfilled' },
  })
  @PutCall('card_links/:card_link_id/unlink')
  async unlink(@TheCall() call: Call, @Param('card_link_id') id: string): Promise<object> {
    return this.#change(call, new Unlink(partnerOf(call).id, id, call.command));
  }

  @TokenScope('card_link', { card_link_id: OwnerOfCardLink })
  @Describe({
    summary: 'Links an unlinked card link again, if its deal is in flight and has a place.',
    answer: ONE,
    refuses: { update_failed: 'the card link is linked' },
  })
  @PutCall('card_links/:card_link_id/link')
  async relink(@TheCall() call: Call, @Param('card_link_id') id: string): Promise<object> {
    return this.#change(call, new Relink(partnerOf(call).id, id, call.command));
  }

  @NoTokens('card_link')
  @Describe({
    summary:
      'Reports a transaction at the deal’s merchant, with the partner’s key alone. The same transaction again is counted once; the incentive that it earns follows from the deal’s terms at that time.',
    parameters: REDEEM,
    answer: SUCCESS,
    refuses: { redeem_failed: 'the card link is unlinked' },
    example: {
      transaction_amount: 2500,
      transaction_date: '2026-01-31T12:00:00-05:00',
      transaction_reference: 'till-7-4711',
      max_redemption: true,
    },
  })
  @PutCall('card_links/:card_link_id/redeem')
  async redeem(@TheCall() call: Call, @Param('card_link_id') id: string): Promise<object> {
    const transaction = readTransaction(call.parameters, this.clock.now());
    const command = new RedeemLink(partnerOf(call).id, id, transaction, call.command);
    const { position } = await this.commands.execute(command);
    call.position = position;
    return { status: 'success' };
  }

  async #change(call: Call, command: Unlink | Relink): Promise<object> {
    const { row, position } = await this.commands.execute(command);
    call.position = position;
    return { status: 'success', card_link: presentCardLink(row) };
  }
}
