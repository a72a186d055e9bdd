import { Controller, Param } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { Freshness } from '#eventsourcing';
import {
  AllowFor,
  answerList,
  type Call,
  DeleteCall,
  Describe,
  DescribeUnder,
  keyIdOf,
  ListOfUser,
  NoTokens,
  pagingOf,
  partnerOf,
  PostCall,
  sinceOf,
  success,
  SUCCESS,
  TheCall,
  type AnswerOf,
} from '#http';
import { ACCESS_TOKEN, ACCESS_TOKEN_LISTED } from './access-token.answer.js';
import { presentAccessToken } from './access-token.present.js';
import { ListAccessTokens } from './access-token.queries.js';
import { ISSUE_ACCESS_TOKEN, readAccessToken } from './access-token.schema.js';
import { EndAccessToken } from './end-access-token.commands.js';
import { IssueAccessToken } from './issue-access-token.commands.js';

const ISSUED = success({ access_token: ACCESS_TOKEN });

/** Access tokens of users (interface 4.15, rulings A7, I10). */
@AllowFor('partner')
@NoTokens('none')
@DescribeUnder('Access tokens')
@Controller()
export class AccessTokensController {
  constructor(
    private readonly freshness: Freshness,
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Describe({
    summary:
      'Issues an access token, with which the user calls the service directly: it is limited to resources, to reading or writing, and in time. It is shown once. This call will be removed: `Sunset` says when.',
    parameters: ISSUE_ACCESS_TOKEN,
    answer: ISSUED,
    refuses: { secrets_lost: 'the token was issued, but nobody has seen it; issue another' },
    deprecated: true,
    example: { expires_in: 600, scope: 'purchase,coupon', access: 'read' },
  })
  @PostCall('users/:user_id/access_tokens')
  async issue(@TheCall() call: Call, @Param('user_id') userId: string): Promise<AnswerOf<typeof ISSUED>> {
    const input = readAccessToken(call.parameters);
    call.secrets = ['id'];
    const command = new IssueAccessToken(partnerOf(call).id, keyIdOf(call), userId, input, call.command);
    const { row: id, position } = await this.commands.execute(command);
    call.position = position;
    const { expires_in, scope, access } = input;
    const shown = { id, user_id: userId, expires_in, scope: scope.join(','), access: access.join(',') };
    return { status: 'success', access_token: shown };
  }
  @ListOfUser({
    name: 'access_tokens',
    item: ACCESS_TOKEN_LISTED,
    besides: 'Only those that still count, newest first, without the tokens themselves.',
  })
  async list(@TheCall() call: Call, @Param('user_id') userId: string): Promise<object> {
    const paging = pagingOf(call.parameters, 'access_token');
    const query = new ListAccessTokens(partnerOf(call).id, userId, paging, sinceOf(call, this.freshness));
    const found = await this.queries.execute(query);
    return answerList(found, (rows) => ({ access_tokens: rows.map((row) => presentAccessToken(row)) }));
  }

  @Describe({
    summary:
      'Ends an access token of a user, named by the id in the list or by the token itself. To end it again changes nothing.',
    answer: SUCCESS,
  })
  @DeleteCall('users/:user_id/access_tokens/:id')
  async end(@TheCall() call: Call, @Param('user_id') userId: string, @Param('id') id: string): Promise<object> {
    const since = sinceOf(call, this.freshness);
    const command = new EndAccessToken(partnerOf(call).id, userId, id, since, call.command);
    const { position } = await this.commands.execute(command);
    call.position = position;
    return { status: 'success' };
  }
}
