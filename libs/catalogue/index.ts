export { MoveDeal, PutDeal } from './deal/deal.commands.js';
export { Deals } from './deal/deals.js';
export { CatalogueDetails } from './deal/deal-details.js';
export { readArrival, readDeal, readDealSlug } from './deal/deal.schema.js';
export { readRegion } from './region/region.schema.js';
export { IpLocations } from './region/ip-locations.js';
export { RegionFinder } from './region/region-finder.js';
export { SetRegion } from './region/region.commands.js';
export { Regions } from './region/regions.js';
