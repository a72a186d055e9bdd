import { FulfilledDeals } from '#catalogue';
import { and, eq, type Writer, type Reader, type Keyring } from '#eventsourcing';
import { DomainError, type Position } from '#kernel';
import { findUserByEmail, isUserOf } from '#people';
import { cardLinksView } from './card-link.view.js';

/** Reads the deals that a user has fulfilled from their card links. */
export class FulfilledLinks extends FulfilledDeals {
  constructor(
    private readonly writer: Writer,
    private readonly reader: Reader,
    private readonly keyring: Keyring,
  ) {
    super();
  }

  override async of(partnerId: string, user: string, since: Position): Promise<readonly string[]> {
    const { writer, reader } = this;
    const userId = user.includes('@') ? await findUserByEmail(writer, this.keyring, partnerId, user) : user;
    if (userId === null || !(await isUserOf(writer, partnerId, userId))) {
      throw new DomainError('find_failed', 'user is not known', { detail: 'you have no user with this id or e-mail' });
    }
    await reader.until([cardLinksView], since);
    const where = and<'user_id' | 'state'>(eq('user_id', userId), eq('state', 'fulfilled'));
    return (await reader.all(cardLinksView, where)).map(({ deal_id }) => deal_id);
  }
}
