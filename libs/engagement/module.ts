import { Module } from '@nestjs/common';
import { ListCardLinksHandler, OwnerOfCardLinkHandler } from './card-link/card-link.queries.js';
import { CardLinksController } from './card-link/card-links.controller.js';
import { LinkUserHandler } from './card-link/link-user.commands.js';
import { RedeemLinkHandler } from './card-link/redeem-link.commands.js';
import { RelinkHandler } from './card-link/relink.commands.js';
import { UnlinkHandler } from './card-link/unlink.commands.js';
import { RemoveSavedDealHandler } from './saved-deal/remove-saved-deal.commands.js';
import { SaveDealHandler } from './saved-deal/save-deal.commands.js';
import { ListSavedDealsHandler, OwnerOfSavedDealHandler } from './saved-deal/saved-deal.queries.js';
import { SavedDealsController } from './saved-deal/saved-deals.controller.js';

@Module({
  controllers: [SavedDealsController, CardLinksController],
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
  ],
})
export class EngagementModule {}

// Tests make links without HTTP.
export { Linking, type WantedLink } from './card-link/linking.js';
