import { Controller, Param } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { Done } from '#eventsourcing';
import {
  AllowFor,
  type Call,
  Describe,
  DescribeUnder,
  NoTokens,
  partnerOf,
  PostCall,
  success,
  TheCall,
  type AnswerOf,
} from '#http';
import { ACCESS_TOKEN } from './access-token.answer.js';
import { ISSUE_ACCESS_TOKEN, readAccessToken } from './access-token.schema.js';
import { IssueAccessToken } from './issue-access-token.commands.js';

const ISSUED = success({ access_token: ACCESS_TOKEN });

/** Access tokens of users (interface 4.15, ruling A7). */
@AllowFor('partner')
@NoTokens()
@DescribeUnder('Access tokens')
@Controller()
export class AccessTokensController {
  constructor(private readonly commands: CommandBus) {}

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
    const command = new IssueAccessToken(partnerOf(call).id, userId, input, call.command);
    const { row: id, position } = await this.commands.execute<IssueAccessToken, Done<string>>(command);
    call.position = position;
    const { expires_in, scope, access } = input;
    const shown = { id, user_id: userId, expires_in, scope: scope.join(','), access: access.join(',') };
    return { status: 'success', access_token: shown };
  }
}
