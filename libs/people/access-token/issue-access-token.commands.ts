import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Engine, type CommandContext, type Done } from '#eventsourcing';
import { DomainError, notFound } from '#kernel';
import { isUserOf } from '../user/is-user-of.js';
import { accessToken } from './access-token.decider.js';
import type { AccessTokenInput } from './access-token.schema.js';
import { accessTokensView } from './access-token.view.js';

/** Issues an access token to a user (interface 4.15). The row is the token itself: nothing stores it, and nothing shows it again. */
export class IssueAccessToken {
  constructor(
    readonly partnerId: string,
    readonly userId: string,
    readonly input: AccessTokenInput,
    readonly context: CommandContext,
  ) {}
}

@CommandHandler(IssueAccessToken)
export class IssueAccessTokenHandler implements ICommandHandler<IssueAccessToken, Done<string>> {
  constructor(@Inject(Engine) private readonly engine: Pick<Engine, 'loop' | 'freshness' | 'keyring'>) {}

  async execute({ partnerId, userId, input, context }: IssueAccessToken): Promise<Done<string>> {
    const { loop, keyring, freshness } = this.engine;
    const id = keyring.deriveId(context.commandId, 0);
    // Asked before the user is checked, who may have been hidden since the first try.
    if ((await loop.read(accessToken, id)) !== null) throw lost();
    if (!(await isUserOf(loop, partnerId, userId))) throw notFound('you have no user with this id');
    const secret = keyring.key().toString('hex');
    const { expires_in, scope, access } = input;
    const known = { token_id: id, user_id: userId, partner_id: partnerId, scope, access };
    const token = { ...known, hash: keyring.hash('access-token', secret) };
    const { position } = await loop.execute(accessToken, id, { type: 'issue', token, expires_in }, context);
    if (position === undefined) throw lost();
    await freshness.until([accessTokensView], position);
    return { row: secret, position };
  }
}

/** The first try broke off after it had issued the token: nobody has seen it. */
function lost(): DomainError {
  return new DomainError('secrets_lost', 'the token was issued, but nobody has seen it; issue another');
}
