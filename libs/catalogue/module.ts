import { Module } from '@nestjs/common';
import { DealAdminController } from './deal/deal-admin.controller.js';
import { MoveDealHandler, PutDealHandler, SetStockHandler } from './deal/deal.commands.js';
import { GetDealHandler, FindDealsHandler } from './deal/deal.queries.js';
import { DealsController } from './deal/deals.controller.js';
import { RegionAdminController } from './region/region-admin.controller.js';
import { SetRegionHandler } from './region/region.commands.js';

@Module({
  controllers: [DealsController, DealAdminController, RegionAdminController],
  providers: [PutDealHandler, MoveDealHandler, SetStockHandler, FindDealsHandler, GetDealHandler, SetRegionHandler],
})
export class CatalogueModule {}
