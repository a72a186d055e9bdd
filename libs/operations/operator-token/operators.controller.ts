import { Controller, Get, Inject, Param } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { z } from 'zod';
import { Clock, Freshness } from '#eventsourcing';
import {
  AllowFor,
  answerList,
  type Call,
  DeleteCall,
  Describe,
  integer,
  listOf,
  oneOfWords,
  optional,
  PAGING,
  pagingOf,
  PostCall,
  read,
  sinceOf,
  SUCCESS,
  text,
  TheCall,
} from '#http';
import { isoTime } from '#kernel';
import { NEW_TOKEN, TOKEN_LISTED } from './operator-token.answer.js';
import { IssueToken, RevokeToken } from './operator-token.commands.js';
import { OPERATOR_ROLES } from './operator-token.events.js';
import { OperatorTokenUses } from './operator-token-uses.js';
import { ListTokens } from './operator-token.queries.js';
import { hasEnded } from './operator-token.view.js';

const ISSUE = z.object({
  name: text('line'),
  role: oneOfWords(OPERATOR_ROLES),
  expires_in: optional(integer('tokenLifetime')).describe('Seconds from now on, at most 366 days; 90 days if absent.'),
});

/** Tokens of operators and auditors (ruling G1). */
@AllowFor('operator')
@Controller('operators/tokens')
export class OperatorsController {
  constructor(
    private readonly freshness: Freshness,
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
    private readonly uses: OperatorTokenUses,
    @Inject(Clock) private readonly clock: Clock,
  ) {}

  @Describe({
    summary:
      'Issues a token to an operator or auditor. It is shown once, and ends after 90 days unless you say otherwise.',
    parameters: ISSUE,
    answer: NEW_TOKEN,
    refuses: { secrets_lost: 'the token exists; revoke it and issue another' },
    example: { name: 'ann', role: 'auditor' },
  })
  @PostCall('')
  async issue(@TheCall() call: Call): Promise<object> {
    const { name, role, expires_in } = read(ISSUE, call.parameters, 'token');
    call.secrets = ['token'];
    const command = new IssueToken(name, role, undefined, call.command, expires_in);
    const done = await this.commands.execute(command);
    call.position = done.position;
    call.act = { words: 'a token was created', of: { token: done.row.id, role } };
    return { status: 'success', ...done.row };
  }

  @Describe({ summary: 'Lists tokens.', parameters: z.object(PAGING), answer: listOf('tokens', TOKEN_LISTED) })
  @Get('')
  async list(@TheCall() call: Call): Promise<object> {
    const query = new ListTokens(pagingOf(call.parameters, 'token'), sinceOf(call, this.freshness));
    const [found, days] = await Promise.all([this.queries.execute(query), this.uses.all()]);
    const now = this.clock.now();
    return answerList(found, (rows) => ({
      tokens: rows.map(({ id, name, role, created_at, expires_at, revoked }) => ({
        id,
        name,
        role,
        created_at: isoTime(created_at),
        expires_at: expires_at === null ? null : isoTime(expires_at),
        last_used_on: days[id] ?? null,
        state: revoked ? 'revoked' : hasEnded({ expires_at }, now) ? 'ended' : 'valid',
        revoked,
      })),
    }));
  }

  @Describe({ summary: 'Revokes a token.', answer: SUCCESS })
  @DeleteCall(':id')
  async revoke(@TheCall() call: Call, @Param('id') id: string): Promise<object> {
    const done = await this.commands.execute(new RevokeToken(id, call.command));
    call.position = done.position;
    call.act = { words: 'a token was revoked', of: { token: id } };
    return { status: 'success' };
  }
}
