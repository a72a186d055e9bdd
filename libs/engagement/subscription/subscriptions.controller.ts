import { Controller, Get, Param } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { Regions } from '#catalogue';
import { Writer, Freshness, PersonalData } from '#eventsourcing';
import {
  AllowFor,
  answerList,
  type Call,
  Describe,
  DescribeUnder,
  ListOfCaller,
  ListOfUser,
  partnerOf,
  PostCall,
  PutCall,
  sinceOf,
  success,
  TheCall,
  TokenScope,
  type UsersList,
  type UsersPage,
  usersPageOf,
  userTokenOf,
} from '#http';
import { FindUser, UserNamed } from '#people';
import { user } from '#people/model';
import { notFound } from '#kernel';
import { asOfNow } from './confirmed-address.js';
import { SetSubscriptionStatus } from './set-subscription-status.commands.js';
import { Subscribe } from './subscribe.commands.js';
import { SUBSCRIPTION } from './subscription.answer.js';
import type { SubscriptionDetails } from './subscription.events.js';
import { presentSubscription } from './subscription.present.js';
import { GetSubscription, ListSubscriptions, OwnerOfSubscription } from './subscription.queries.js';
import type { SubscriptionRow } from './subscription.row.js';
import { readStatus, readSubscribe, SET_STATUS, SUBSCRIBE } from './subscription.schema.js';

const LIST: UsersList = {
  name: 'subscriptions',
  item: SUBSCRIPTION,
  besides: 'The user’s e-mail address may stand in place of the id.',
};
const ONE = success({ subscription: SUBSCRIPTION });

/** Subscriptions of users to the mails of regions (interface 4.12). */
@AllowFor('partner')
@TokenScope('subscription')
@DescribeUnder('Subscriptions')
@Controller()
export class SubscriptionsController {
  constructor(
    private readonly writer: Writer,
    private readonly freshness: Freshness,
    private readonly personalData: PersonalData,
    private readonly regions: Regions,
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @TokenScope('subscription', { user_id: UserNamed })
  @ListOfUser(LIST)
  async list(@TheCall() call: Call, @Param('user_id') name: string): Promise<object> {
    const asked = usersPageOf(call, this.freshness, 'subscription', name);
    const query = new UserNamed(asked.partnerId, name, asked.since);
    const userId = await this.queries.execute(query);
    if (userId === null) throw notFound('you have no user with this e-mail address');
    return this.#list({ ...asked, userId });
  }

  @ListOfCaller(LIST)
  listOwn(@TheCall() call: Call): Promise<object> {
    return this.#list(usersPageOf(call, this.freshness, 'subscription'));
  }

  async #list({ partnerId, userId, named, paging, since }: UsersPage): Promise<object> {
    await this.queries.execute(new FindUser(partnerId, userId, since, named));
    const found = await this.queries.execute(new ListSubscriptions(userId, paging, since));
    return answerList(found, async (rows) => ({
      subscriptions: await Promise.all(rows.map((row) => this.#present(row))),
    }));
  }

  @TokenScope('subscription', { subscription_id: OwnerOfSubscription })
  @Describe({ summary: 'Shows a subscription.', answer: ONE })
  @Get('subscriptions/:subscription_id')
  async get(@TheCall() call: Call, @Param('subscription_id') id: string): Promise<object> {
    return this.#one(await this.queries.execute(new GetSubscription(partnerOf(call).id, id)));
  }

  @Describe({
    summary:
      'Subscribes a user to the mails of the region that their ZIP belongs to. A user has one subscription per region: an existing one is active again. If it is active but not confirmed, or not for the address that the user has now, the mail that asks the user to confirm it is sent again, at most once a day.',
    parameters: SUBSCRIBE,
    answer: ONE,
    example: { zip: 2114 },
  })
  @PostCall('users/:user_id/subscriptions')
  async subscribe(@TheCall() call: Call, @Param('user_id') userId: string): Promise<object> {
    const details = readSubscribe(call.parameters, userTokenOf(call) === undefined ? 'partner' : 'user');
    const since = sinceOf(call, this.freshness);
    return this.#done(call, new Subscribe(partnerOf(call).id, userId, details, since, call.command));
  }

  @TokenScope('subscription', { subscription_id: OwnerOfSubscription })
  @Describe({
    summary: 'Sets the status of a subscription. Only active and confirmed subscriptions get mails.',
    parameters: SET_STATUS,
    answer: ONE,
    example: { status: 'inactive' },
  })
  @PutCall('subscriptions/:subscription_id')
  async setStatus(@TheCall() call: Call, @Param('subscription_id') id: string): Promise<object> {
    const status = readStatus(call.parameters);
    return this.#done(call, new SetSubscriptionStatus(partnerOf(call).id, id, status, call.command));
  }

  async #done(call: Call, command: Subscribe | SetSubscriptionStatus): Promise<object> {
    const { row, position } = await this.commands.execute(command);
    call.position = position;
    return this.#one(row);
  }

  async #one(row: SubscriptionRow): Promise<object> {
    return { status: 'success', subscription: await this.#present(row) };
  }

  async #present(row: SubscriptionRow): Promise<object> {
    const { user_id, region_id, details } = row;
    const reader = await this.writer.readNow(user, user_id);
    const shown = reader === null ? row : asOfNow(row, reader);
    const opened = await this.personalData.open<SubscriptionDetails>(user_id, details);
    return presentSubscription(shown, (await this.regions.find(region_id))?.name ?? region_id, opened);
  }
}
