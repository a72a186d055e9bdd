import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { eq, NEWEST_FIRST, Reader, Writer, Keyring } from '#eventsourcing';
import { DomainError, notFound, type Position } from '#kernel';
import type { UserRow } from './user.row.js';
import { addressOf, findUserByEmail } from './create-user.js';
import { usersView } from './user.view.js';

/**
 * One user of a partner. A deleted user is refused like an unknown one (ruling E1): in a path as what is not found, in a
 * parameter as a wrong `user_id` (ruling A8).
 */
export class FindUser extends Query<UserRow> {
  constructor(
    readonly partnerId: string,
    readonly userId: string,
    readonly since: Position,
    readonly named: 'in the path' | 'in a parameter' = 'in the path',
  ) {
    super();
  }
}

@QueryHandler(FindUser)
export class FindUserHandler implements IQueryHandler<FindUser> {
  constructor(private readonly reader: Reader) {}

  async execute({ partnerId, userId, since, named }: FindUser): Promise<UserRow> {
    const row = await this.reader.row(usersView, userId, since);
    if (row?.partner_id === partnerId && !row.deleted) return row;
    throw named === 'in the path'
      ? notFound('you have no user with this id')
      : new DomainError('user_not_found', 'not found');
  }
}

/** The user of a partner with an e-mail address, in any case; undefined if there is none, or if they are hidden (ruling E1). */
export class FindUserWithEmail extends Query<UserRow | undefined> {
  constructor(
    readonly partnerId: string,
    readonly email: string,
  ) {
    super();
  }
}

@QueryHandler(FindUserWithEmail)
export class FindUserWithEmailHandler implements IQueryHandler<FindUserWithEmail> {
  constructor(
    private readonly reader: Reader,
    private readonly keyring: Keyring,
  ) {}

  /** As new as the log: whoever asks before creating a user has no position to send. It writes nothing. */
  async execute({ partnerId, email }: FindUserWithEmail): Promise<UserRow | undefined> {
    const { reader } = this;
    await reader.until([usersView], await reader.end());
    // The address is hashed with the partner, so no other partner's user has it.
    const where = eq('address', addressOf(this.keyring, partnerId, email));
    const [found] = await reader.of(usersView).find({ where, sort: NEWEST_FIRST, page: 1, perPage: 1 });
    return found?.row.deleted === false ? found.row : undefined;
  }
}

/** The id of the user whom a path names by id or by e-mail address; null if no user of the partner has this address. */
export class UserNamed extends Query<string | null> {
  constructor(
    readonly partnerId: string,
    /** An id, which is taken as it is, or an e-mail address. */
    readonly name: string,
    /** Addresses are read from the log, which has everything that was written. */
    readonly since: Position,
  ) {
    super();
  }
}

@QueryHandler(UserNamed)
export class UserNamedHandler implements IQueryHandler<UserNamed> {
  constructor(
    private readonly writer: Writer,
    private readonly keyring: Keyring,
  ) {}

  async execute({ partnerId, name }: UserNamed): Promise<string | null> {
    return name.includes('@') ? findUserByEmail(this.writer, this.keyring, partnerId, name) : name;
  }
}
