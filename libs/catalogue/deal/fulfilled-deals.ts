import type { Position } from '#kernel';

/** The port through which the v1 list leaves out what a user has fulfilled (interface 4.3, ruling C3). */
export abstract class FulfilledDeals {
  /**
   * The card-linked deals whose links a partner's user has fulfilled.
   * @param user an id or an e-mail address
   * @param since the position that the answer must have reached
   * @throws DomainError find_failed for an unknown user
   */
  abstract of(partnerId: string, user: string, since: Position): Promise<readonly string[]>;
}
