import { Inject } from '@nestjs/common';
import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { and, eq, gt, NEWEST_FIRST, oneOf, type Listed, type Paging, Writer, Reader, Clock } from '#eventsourcing';
import { notFound, type Position } from '#kernel';
import { validKeysOf } from '#partners';
import { user } from '../user/user.decider.js';
import { accessTokensView, type AccessTokenRow } from './access-token.view.js';

/** The access tokens of a user that still count, newest first (ruling I10). */
export class ListAccessTokens extends Query<Listed<AccessTokenRow>> {
  constructor(
    readonly partnerId: string,
    readonly userId: string,
    readonly paging: Paging,
    readonly since: Position,
  ) {
    super();
  }
}

@QueryHandler(ListAccessTokens)
export class ListAccessTokensHandler implements IQueryHandler<ListAccessTokens> {
  constructor(
    private readonly writer: Writer,
    private readonly reader: Reader,
    @Inject(Clock) private readonly clock: Clock,
  ) {}

  async execute(asked: ListAccessTokens): Promise<Listed<AccessTokenRow>> {
    const { writer, clock } = this;
    const { partnerId, userId } = asked;
    const owner = await writer.read(user, userId);
    if (owner?.partner_id !== partnerId || owner.deleted) throw notFound('you have no user with this id');
    const keys = await validKeysOf(writer, partnerId);
    const where = () =>
      and(
        eq('user_id', userId),
        eq('generation', owner.token_generation),
        eq('ended', false),
        oneOf('key_id', keys),
        gt('expires_at', clock.now()),
      );
    return this.reader.list(accessTokensView, where, asked, NEWEST_FIRST);
  }
}
