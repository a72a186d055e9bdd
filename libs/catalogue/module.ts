import { Module } from '@nestjs/common';
import { DealAdminController } from './deal/deal-admin.controller.js';
import { MoveDealHandler, PutDealHandler, SetStockHandler } from './deal/deal.commands.js';
import { GetDealHandler, FindDealsHandler } from './deal/deal.queries.js';
import { DealsController } from './deal/deals.controller.js';
import { RegionAdminController } from './region/region-admin.controller.js';
import { SetRegionHandler } from './region/region.commands.js';
import { GetRegionHandler, ListRegionsHandler } from './region/region.queries.js';
import { RegionalDealsController } from './region/regional-deals.controller.js';
import { ListRegionalDealsHandler } from './region/regional-deals.queries.js';
import { RegionsController } from './region/regions.controller.js';

@Module({
  controllers: [
    DealsController,
    DealAdminController,
    RegionAdminController,
    RegionsController,
    RegionalDealsController,
  ],
  providers: [
    PutDealHandler,
    MoveDealHandler,
    SetStockHandler,
    FindDealsHandler,
    GetDealHandler,
    SetRegionHandler,
    GetRegionHandler,
    ListRegionsHandler,
    ListRegionalDealsHandler,
  ],
})
export class CatalogueModule {}
