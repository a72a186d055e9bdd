import { BoundedMap, generationBytes, type Writer } from '#eventsourcing';
import { streamName } from '#kernel';
import { DealDetails, type DealAsSold, type Details, type RedemptionPlace } from '#purchasing';
import type { Regions } from '../region/regions.js';
import { addressLines } from './address-lines.js';
import type { DealAttributes, DealLocation } from './deal.attributes.js';
import { deal } from './deal.decider.js';
import type { DealEvent } from './deal.events.js';

/** What an event has of a deal; the region's zone comes from the region as it is now. */
interface Sold {
  readonly region_id: string;
  readonly shown: Omit<DealAsSold, 'time_zone'>;
}

/** Reads a deal's details from the log, so they are never stale. */
export class CatalogueDetails extends DealDetails {
  /** By deal and revision. An event never changes, so nothing is ever forgotten for being old. */
  readonly #sold = new BoundedMap<string, Sold>(
    generationBytes('soldDeals'),
    (sold, key) => JSON.stringify(sold).length + key.length,
  );

  constructor(
    private readonly writer: Writer,
    private readonly regions: Pick<Regions, 'find'>,
  ) {
    super();
  }

  override async find(dealId: string): Promise<Details | undefined> {
    const found = await this.writer.read(deal, dealId);
    if (found === null) return undefined;
    const { type, fulfillment_method, shipping_address_required, refundable } = found.attributes;
    return { type, state: found.state, fulfillment_method, shipping_address_required, refundable };
  }

  override async asSold(dealId: string, revision: number): Promise<DealAsSold | undefined> {
    const key = `${dealId}@${revision}`;
    let sold = this.#sold.get(key);
    if (sold === undefined) {
      const event = await this.writer.event(streamName(deal.category, dealId), revision);
      if (event === undefined) return undefined;
      const { data } = event as unknown as DealEvent;
      sold = soldOf(data.attributes);
      this.#sold.set(key, sold);
    }
    return { ...sold.shown, time_zone: (await this.regions.find(sold.region_id))?.time_zone ?? 'UTC' };
  }
}

function soldOf(attributes: DealAttributes): Sold {
  const { title, merchant_name, value, description1, highlights, instructions, fine_print, image } = attributes;
  return {
    region_id: attributes.region_id,
    shown: {
      title,
      merchant_name,
      price: attributes.current_price,
      value,
      description1,
      highlights,
      instructions,
      fine_print,
      fine_print_legalese: attributes.fulfillment_method === 'printed' ? attributes.fine_print_legalese : null,
      locations: attributes.locations.map(placeOf),
      image,
    },
  };
}

function placeOf({ address, phone, hours }: DealLocation): RedemptionPlace {
  return { address: addressLines(address), phone, hours };
}
