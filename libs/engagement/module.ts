import { Module } from '@nestjs/common';
import { RemoveSavedDealHandler } from './saved-deal/remove-saved-deal.commands.js';
import { SaveDealHandler } from './saved-deal/save-deal.commands.js';
import { ListSavedDealsHandler, OwnerOfSavedDealHandler } from './saved-deal/saved-deal.queries.js';
import { SavedDealsController } from './saved-deal/saved-deals.controller.js';

@Module({
  controllers: [SavedDealsController],
  providers: [SaveDealHandler, RemoveSavedDealHandler, ListSavedDealsHandler, OwnerOfSavedDealHandler],
})
export class EngagementModule {}
