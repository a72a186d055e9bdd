import { Controller, Get, Param } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { z } from 'zod';
import { Freshness, PersonalData } from '#eventsourcing';
import {
  AllowFor,
  answerList,
  type AnswerOf,
  type Call,
  Describe,
  DescribeUnder,
  listOf,
  NoTokens,
  OF_USER,
  PAGING,
  pagingOf,
  partnerOf,
  PostCall,
  PutCall,
  read,
  readTogether,
  sinceOf,
  success,
  TheCall,
  TokenScope,
  userTokenOf,
} from '#http';
import { DomainError } from '#kernel';
import { ChangeUser } from './change-user.commands.js';
import { CreateUser } from './create-user.commands.js';
import { openProfile } from './profile.js';
import { UpdateByEmail } from './update-by-email.commands.js';
import { USER } from './user.answer.js';
import { presentUser } from './user.present.js';
import { FindUser, FindUserWithEmail } from './user.queries.js';
import type { UserRow } from './user.row.js';
import {
  CHANGE_USER,
  CREATE,
  readChange,
  readCreate,
  readUpdateByEmail,
  UPDATE_BY_EMAIL,
  WITH_THIS_EMAIL,
} from './user.schema.js';

const ONE = success({ user: USER });

/** Users of a partner (interface 4.9). */
@AllowFor('partner')
@TokenScope('user')
@DescribeUnder('Users')
@Controller()
export class UsersController {
  constructor(
    private readonly freshness: Freshness,
    private readonly personalData: PersonalData,
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @NoTokens('user')
  @Describe({
    summary: 'Creates a user. Refuses an e-mail address that a user of the partner has: update_by_email reaches them.',
    parameters: CREATE,
    bodyLimit: 'user',
    answer: success({ user_id: z.string() }),
    example: { email: 'grace@example.com', first_name: 'Grace', last_name: 'Hopper', postal_code: '02114' },
  })
  @PostCall('users')
  async create(@TheCall() call: Call): Promise<object> {
    const command = new CreateUser(partnerOf(call).id, readCreate(call.parameters), null, call.command);
    const { row, position } = await this.commands.execute(command);
    call.position = position;
    return { status: 'success', user_id: row };
  }

  @NoTokens('user')
  @Describe({
    summary:
      'Lists the user with this e-mail address, in upper or lower case: one at most, and none who is deleted. It creates and changes nobody.',
    parameters: WITH_THIS_EMAIL.extend(PAGING),
    answer: listOf('users', USER),
    example: { email: 'grace@example.com' },
  })
  @Get('users')
  async list(@TheCall() call: Call): Promise<object> {
    const [{ email }, { count, page, perPage }] = readTogether(
      () => read(WITH_THIS_EMAIL, call.parameters, 'user'),
      () => pagingOf(call.parameters, 'user'),
    );
    const row = await this.queries.execute(new FindUserWithEmail(partnerOf(call).id, email));
    const found = row === undefined ? [] : [row];
    return answerList(count ? found.length : found.slice((page - 1) * perPage, page * perPage), async (rows) => ({
      users: await Promise.all(rows.map((each) => this.#present(each))),
    }));
  }

  @Describe({ summary: 'Shows a user. The parameter `first_name` is `firstname` in answers.', answer: ONE })
  @Get('users/:user_id')
  get(@TheCall() call: Call, @Param('user_id') userId: string): Promise<object> {
    return this.#show(new FindUser(partnerOf(call).id, userId, sinceOf(call, this.freshness)));
  }

  @Describe({
    summary: 'Shows the user of the access token; with the partner’s key, the user with this id.',
    parameters: OF_USER,
    answer: ONE,
  })
  @Get('user')
  async getOwn(@TheCall() call: Call): Promise<object> {
    const { user_id } = read(OF_USER, call.parameters, 'user');
    const since = sinceOf(call, this.freshness);
    return this.#show(new FindUser(partnerOf(call).id, user_id, since, 'in a parameter'));
  }

  @Describe({
    summary:
      'Changes the given attributes of a user and leaves the rest. `is_deleted` hides the user (404) until update_by_email or this call sets it to false.',
    parameters: CHANGE_USER,
    bodyLimit: 'user',
    answer: ONE,
    example: { first_name: 'Grace', is_deleted: false },
  })
  @PutCall('users/:user_id')
  change(@TheCall() call: Call, @Param('user_id') userId: string): Promise<object> {
    return this.#change(call, userId);
  }

  @Describe({
    summary:
      'Changes the user of the access token; with the partner’s key, the user with this id. A user cannot change their `source` and `token`.',
    parameters: OF_USER.extend(CHANGE_USER.shape),
    bodyLimit: 'user',
    answer: ONE,
    example: { user_id: '<user_id>', first_name: 'Grace' },
  })
  @PutCall('user')
  async changeOwn(@TheCall() call: Call): Promise<object> {
    const { user_id } = read(OF_USER, call.parameters, 'user');
    try {
      return await this.#change(call, user_id);
    } catch (error) {
      // The id is a parameter here: an unknown one is a fault of the request (ruling A8).
      if (!(error instanceof DomainError) || error.code !== 'not_found') throw error;
      throw new DomainError('user_not_found', 'not found', {}, error.position);
    }
  }

  @NoTokens('user')
  @Describe({
    summary:
      'Changes the user with this e-mail address, or creates one. Either way it answers with the user and the id, so it also finds a user by e-mail.',
    parameters: UPDATE_BY_EMAIL,
    bodyLimit: 'user',
    answer: ONE,
    refuses: { update_failed: 'Unable to update, partner token has changed' },
    prefix: '/api/v1',
    example: { token: 'loyalty-4711', overwrite_token: true },
  })
  @PutCall('users/:email/update_by_email')
  updateByEmail(@TheCall() call: Call, @Param('email') email: string): Promise<object> {
    const input = readUpdateByEmail(call.parameters, email);
    return this.#done(call, new UpdateByEmail(partnerOf(call).id, input, call.command));
  }

  async #show(query: FindUser): Promise<object> {
    const row = await this.queries.execute(query);
    return { status: 'success', user: await this.#present(row) };
  }

  async #present(row: UserRow): Promise<AnswerOf<typeof USER>> {
    return presentUser(row, await openProfile(this.personalData, row));
  }

  async #change(call: Call, userId: string): Promise<object> {
    const input = readChange(call.parameters, userTokenOf(call) === undefined ? 'partner' : 'user');
    return this.#done(call, new ChangeUser(partnerOf(call).id, userId, input, call.command));
  }

  async #done(call: Call, command: ChangeUser | UpdateByEmail): Promise<object> {
    const { row, position } = await this.commands.execute(command);
    call.position = position;
    return { status: 'success', user: presentUser(row.state, row.profile) };
  }
}
