import type { ContextModel } from '#kernel';
import { accessToken } from './access-token/access-token.decider.js';
import { accessTokenEvents } from './access-token/access-token.events.js';
import { accessTokensView } from './access-token/access-token.view.js';
import { address } from './address/address.decider.js';
import { addressEvents } from './address/address.events.js';
import { addressesView } from './address/address.view.js';
import { walletEvents } from './card/card.events.js';
import { cardsView } from './card/card.view.js';
import { wallet } from './card/wallet.decider.js';
import { emailFollowers, userFollowers } from './followers.js';
import { emailRelease } from './user/email-release.work.js';
import { email } from './user/email.decider.js';
import { emailEvents } from './user/email.events.js';
import { user } from './user/user.decider.js';
import { userEvents } from './user/user.events.js';
import { usersView } from './user/user.view.js';

export type { AccessTokenEvent } from './access-token/access-token.events.js';
export { address } from './address/address.decider.js';
export type { AddressEvent } from './address/address.events.js';
export type { WalletErased, WalletEvent } from './card/card.events.js';
export { hasRoomFor, wallet } from './card/wallet.decider.js';
export type { EmailEvent } from './user/email.events.js';
export { user } from './user/user.decider.js';
export type { UserEvent } from './user/user.events.js';
export type { UserRow } from './user/user.row.js';
export { usersView } from './user/user.view.js';
export { cardsView } from './card/card.view.js';
export type { CardRow } from './card/card.row.js';
export type { AddressRow } from './address/address.row.js';
export { addressesView } from './address/address.view.js';
export type { AccessTokenRow } from './access-token/access-token.view.js';
export { accessTokensView };

/** The events of this context, what decides them, and what the service builds from them. */
export const people: ContextModel = {
  deciders: [email, user, address, wallet, accessToken],
  events: [emailEvents, userEvents, addressEvents, walletEvents, accessTokenEvents],
  followers: [emailFollowers, userFollowers],
  views: [usersView, addressesView, cardsView, accessTokensView],
  workLists: [emailRelease],
};
