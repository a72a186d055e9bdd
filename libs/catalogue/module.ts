import { Module } from '@nestjs/common';
import { DealAdminController } from './deal/deal-admin.controller.js';
import { MoveDealHandler, PutDealHandler, SetStockHandler } from './deal/deal.commands.js';
import { GetDealHandler, FindDealsHandler, SeeDealHandler } from './deal/deal.queries.js';
import { GetOperatedDealHandler } from './deal/operated-deal.queries.js';
import { DealPageController } from './deal/page/deal-page.controller.js';
import { DealsController } from './deal/deals.controller.js';
import { DealsV3Controller } from './deal/v3/deals-v3.controller.js';
import { FindDealsV3Handler } from './deal/v3/deals-v3.queries.js';
import { RegionAdminController } from './region/region-admin.controller.js';
import { SetRegionHandler } from './region/region.commands.js';
import { GetRegionHandler, ListRegionsHandler } from './region/region.queries.js';
import { RegionalDealsController } from './region/regional-deals.controller.js';
import { RegionalDealsV3Controller } from './region/regional-deals-v3.controller.js';
import { ListRegionalDealsHandler } from './region/regional-deals.queries.js';
import { RegionsController } from './region/regions.controller.js';

@Module({
  controllers: [
    DealsController,
    DealsV3Controller,
    DealAdminController,
    DealPageController,
    RegionAdminController,
    RegionsController,
    RegionalDealsController,
    RegionalDealsV3Controller,
  ],
  providers: [
    PutDealHandler,
    MoveDealHandler,
    SetStockHandler,
    FindDealsHandler,
    FindDealsV3Handler,
    GetDealHandler,
    GetOperatedDealHandler,
    SeeDealHandler,
    SetRegionHandler,
    GetRegionHandler,
    ListRegionsHandler,
    ListRegionalDealsHandler,
  ],
})
export class CatalogueModule {}
