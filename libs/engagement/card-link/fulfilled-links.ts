import { FulfilledDeals } from '#catalogue';
import { allRows, and, eq, type Engine } from '#eventsourcing';
import { DomainError, type Position } from '#kernel';
import { findUserByEmail, isUserOf } from '#people';
import { cardLinksView } from './card-link.view.js';

/** Reads the deals that a user has fulfilled from their card links. */
export class FulfilledLinks extends FulfilledDeals {
  constructor(
    private readonly engine: Pick<
      Engine,
      'loop' | 'log' | 'codec' | 'clock' | 'randomness' | 'keyring' | 'views' | 'freshness'
    >,
  ) {
    super();
  }

  override async of(partnerId: string, user: string, since: Position): Promise<readonly string[]> {
    const { loop, views, freshness } = this.engine;
    const userId = user.includes('@') ? await findUserByEmail(this.engine, partnerId, user) : user;
    if (userId === null || !(await isUserOf(loop, partnerId, userId))) {
      throw new DomainError('find_failed', 'user is not known', { detail: 'you have no user with this id or e-mail' });
    }
    await freshness.until([cardLinksView], since);
    const where = and<'user_id' | 'state'>(eq('user_id', userId), eq('state', 'fulfilled'));
    return (await allRows(views.reader(cardLinksView), where)).map(({ deal_id }) => deal_id);
  }
}
