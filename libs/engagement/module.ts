import { Module } from '@nestjs/common';
import { ListCardLinksHandler, OwnerOfCardLinkHandler } from './card-link/card-link.queries.js';
import { CardLinksController } from './card-link/card-links.controller.js';
import { LinkUserHandler } from './card-link/link-user.commands.js';
import { RedeemLinkHandler } from './card-link/redeem-link.commands.js';
import { RelinkHandler } from './card-link/relink.commands.js';
import { UnlinkHandler } from './card-link/unlink.commands.js';
import { FollowMailLinkHandler } from './mail-link/follow-mail-link.commands.js';
import { FindLinkedMailsHandler } from './mail-link/mail-link.queries.js';
import { MailLinksController } from './mail-link/mail-links.controller.js';
import { RemoveSavedDealHandler } from './saved-deal/remove-saved-deal.commands.js';
import { SaveDealHandler } from './saved-deal/save-deal.commands.js';
import { ListSavedDealsHandler, OwnerOfSavedDealHandler } from './saved-deal/saved-deal.queries.js';
import { SavedDealsController } from './saved-deal/saved-deals.controller.js';
import { SetSubscriptionStatusHandler } from './subscription/set-subscription-status.commands.js';
import { SubscribeHandler } from './subscription/subscribe.commands.js';
import {
  GetSubscriptionHandler,
  ListSubscriptionsHandler,
  OwnerOfSubscriptionHandler,
} from './subscription/subscription.queries.js';
import { SubscriptionsController } from './subscription/subscriptions.controller.js';

@Module({
  controllers: [SavedDealsController, CardLinksController, SubscriptionsController, MailLinksController],
  providers: [
    SaveDealHandler,
    RemoveSavedDealHandler,
    ListSavedDealsHandler,
    OwnerOfSavedDealHandler,
    LinkUserHandler,
    UnlinkHandler,
    RelinkHandler,
    RedeemLinkHandler,
    ListCardLinksHandler,
    OwnerOfCardLinkHandler,
    SubscribeHandler,
    SetSubscriptionStatusHandler,
    GetSubscriptionHandler,
    ListSubscriptionsHandler,
    OwnerOfSubscriptionHandler,
    FindLinkedMailsHandler,
    FollowMailLinkHandler,
  ],
})
export class EngagementModule {}

// Tests make links without HTTP, and without mails.
export { signedPart, type MailLinkKind } from './mail-link/mail-link.js';
export type { CardLinkRow } from './card-link/card-link.row.js';
export { LinkUser, LinkUserHandler } from './card-link/link-user.commands.js';
export { Linking, type WantedLink } from './card-link/linking.js';
