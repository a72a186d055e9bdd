import type { Past } from '#eventsourcing';
import { streamName, type EventBody } from '#kernel';
import { unitsAsOf } from '#purchasing';
import type { RegionEvent } from '../region/region.events.js';
import type { FoundDeal } from './deal.queries.js';
import type { DealEvent } from './deal.events.js';
import { dealAfter } from './deal.row.js';

/** A deal, with its region and units, as they were; undefined if there was none (ruling G7.2). */
export async function dealAsOf(past: Past, id: string): Promise<FoundDeal | undefined> {
  const event = await past.last(streamName('deal', id));
  // Each event has the whole deal after the change.
  const row = event && dealAfter(undefined, event as EventBody as DealEvent);
  if (row === undefined) return undefined;
  const region = await past.last(streamName('region', row.attributes.region_id));
  const now = past.cut.instant;
  return {
    row,
    region: region && (region as EventBody as RegionEvent).data,
    ...(await unitsAsOf(past, id, now)),
    now,
  };
}
