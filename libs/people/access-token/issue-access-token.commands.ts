import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type CommandContext, type Done, Writer, Reader, Keyring } from '#eventsourcing';
import { DomainError, notFound } from '#kernel';
import { user } from '../user/user.decider.js';
import { accessToken } from './access-token.decider.js';
import type { AccessTokenInput } from './access-token.schema.js';
import { accessTokensView } from './access-token.view.js';

/**
 * Issues an access token to a user (interface 4.15). The row is the token itself: nothing stores it, and nothing shows it again. So a
 * repeat is refused.
 */
export class IssueAccessToken extends Command<Done<string>> {
  constructor(
    readonly partnerId: string,
    /** The key that issues it. */
    readonly keyId: string,
    readonly userId: string,
    readonly input: AccessTokenInput,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(IssueAccessToken)
export class IssueAccessTokenHandler implements ICommandHandler<IssueAccessToken> {
  constructor(
    private readonly writer: Writer,
    private readonly reader: Reader,
    private readonly keyring: Keyring,
  ) {}

  async execute({ partnerId, keyId, userId, input, context }: IssueAccessToken): Promise<Done<string>> {
    const { writer, keyring, reader } = this;
    const id = keyring.deriveId(context.commandId, 0);
    // Asked before the user is checked, who may have been hidden since the first try.
    if ((await writer.read(accessToken, id)) !== null) throw lost();
    // From the log: a token of an earlier generation would have ended before its first use.
    const owner = await writer.readNow(user, userId);
    if (owner?.partner_id !== partnerId || owner.deleted) throw notFound('you have no user with this id');
    const secret = keyring.key().toString('hex');
    const { expires_in, scope, access } = input;
    const token = {
      token_id: id,
      user_id: userId,
      partner_id: partnerId,
      key_id: keyId,
      generation: owner.token_generation,
      hash: keyring.hash('access-token', secret),
      scope,
      access,
    };
    const { position } = await writer.execute(accessToken, id, { type: 'issue', token, expires_in }, context);
    if (position === undefined) throw lost();
    await reader.until([accessTokensView], position);
    return { row: secret, position };
  }
}

/** The first try broke off after it had issued the token: nobody has seen it. */
function lost(): DomainError {
  return new DomainError('secrets_lost', 'the token was issued, but nobody has seen it; issue another');
}
