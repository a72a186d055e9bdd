import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { Reader, Writer, Keyring } from '#eventsourcing';
import { DomainError, notFound, type Position } from '#kernel';
import type { UserRow } from './user.row.js';
import { findUserByEmail } from './create-user.js';
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
