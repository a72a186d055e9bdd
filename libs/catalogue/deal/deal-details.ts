import type { Engine } from '#eventsourcing';
import { DealDetails, type Details, type RedemptionPlace } from '#purchasing';
import type { Regions } from '../region/regions.js';
import { addressLines } from './address-lines.js';
import type { DealLocation } from './deal.attributes.js';
import { deal } from './deal.decider.js';

/** Reads a deal's details from the log, so they are never stale, with the time zone of its region. */
export class CatalogueDetails extends DealDetails {
  constructor(
    private readonly engine: Pick<Engine, 'loop'>,
    private readonly regions: Pick<Regions, 'find'>,
  ) {
    super();
  }

  override async find(dealId: string): Promise<Details | undefined> {
    const found = await this.engine.loop.read(deal, dealId);
    if (found === null) return undefined;
    const { attributes } = found;
    const region = await this.regions.find(attributes.region_id);
    return {
      type: attributes.type,
      state: found.state,
      title: attributes.title,
      merchant_name: attributes.merchant_name,
      value: attributes.value,
      description1: attributes.description1,
      fine_print: attributes.fine_print,
      fine_print_legalese: attributes.fine_print_legalese,
      instructions: attributes.instructions,
      locations: attributes.locations.map(placeOf),
      fulfillment_method: attributes.fulfillment_method,
      shipping_address_required: attributes.shipping_address_required,
      redemption_url: attributes.redemption_url,
      refundable: attributes.refundable,
      time_zone: region?.time_zone ?? 'UTC',
    };
  }
}

function placeOf({ address, phone, hours }: DealLocation): RedemptionPlace {
  return { address: addressLines(address), phone, hours };
}
