import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type CommandContext, type Done, Writer, Reader, Keyring } from '#eventsourcing';
import { notFound, type Position } from '#kernel';
import { isUserOf } from '../user/is-user-of.js';
import { accessToken } from './access-token.decider.js';
import { accessTokensView } from './access-token.view.js';

/** Ends an access token of a user (ruling I10). */
export class EndAccessToken extends Command<Done<null>> {
  constructor(
    readonly partnerId: string,
    readonly userId: string,
    /** The id in the list, or the token itself. */
    readonly idOrToken: string,
    readonly since: Position,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(EndAccessToken)
export class EndAccessTokenHandler implements ICommandHandler<EndAccessToken> {
  constructor(
    private readonly writer: Writer,
    private readonly reader: Reader,
    private readonly keyring: Keyring,
  ) {}

  async execute({ partnerId, userId, idOrToken, since, context }: EndAccessToken): Promise<Done<null>> {
    const { writer, keyring } = this;
    const row = await this.reader.row(accessTokensView, keyring.hash('access-token', idOrToken), since);
    const id = row?.token_id ?? idOrToken;
    // Asked before the user is checked, who may have been hidden since the first try.
    const before = await writer.repeat(context, accessToken, id, { types: ['access-token-ended.v1'] });
    if (before !== undefined) return { row: null, position: before.position };
    if (!(await isUserOf(writer, partnerId, userId))) throw notFound('you have no user with this id');
    const command = { type: 'end', partner_id: partnerId, user_id: userId } as const;
    const { position } = await writer.execute(accessToken, id, command, context);
    return { row: null, position };
  }
}
