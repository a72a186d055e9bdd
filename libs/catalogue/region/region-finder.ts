import { DomainError, type Place } from '#kernel';
import type { IpLocations } from './ip-locations.js';
import { nearestRegion } from './nearest-region.js';
import { readPlace, type Named } from './places.js';
import type { Region } from './region.events.js';
import type { Regions } from './regions.js';
import { placeOfCity, placeOfZip } from './zip-places.js';

/** Finds the region of a text (ruling C4). */
export class RegionFinder {
  constructor(
    private readonly regions: Pick<Regions, 'find' | 'all'>,
    /** undefined if no database of IP addresses is configured. */
    private readonly ipLocations: IpLocations | undefined,
  ) {}

  /**
   * A slug leads to its region, active or not. A ZIP, `City, ST`, `City/ST` or an IP address leads to the nearest active
   * region that covers the place. No slug looks like one of these (ruling I7).
   * @throws DomainError `find_failed` with what is unknown
   */
  async regionOf(text: string): Promise<Region> {
    const bySlug = await this.regions.find(text);
    if (bySlug !== undefined) return bySlug;
    const named = readPlace(text);
    const place = await this.#placeOf(named);
    const region = nearestRegion(place, await this.regions.all());
    if (region === undefined) throw unknown(named, 'no active region covers it');
    return region;
  }

  /** The nearest active region that covers a ZIP of five digits; undefined for an unknown ZIP and one that no region covers. */
  async ofZip(zip: string): Promise<Region | undefined> {
    const place = await placeOfZip(zip);
    return place && nearestRegion(place, await this.regions.all());
  }

  async #placeOf(named: Named): Promise<Place> {
    switch (named.kind) {
      case 'zip':
        return (await placeOfZip(named.zip)) ?? fail(named, 'there is no such ZIP');
      case 'city':
        return (await placeOfCity(named.city, named.state)) ?? fail(named, 'there is no such city');
      case 'ip':
        if (this.ipLocations === undefined) throw unknown(named, 'GEOIP_DB is not set');
        return this.ipLocations.find(named.address) ?? fail(named, 'GEOIP_DB does not have it');
      case 'slug':
        throw new DomainError('find_failed', `region ${named.slug} is not known`);
    }
  }
}

function fail(named: Exclude<Named, { kind: 'slug' }>, why: string): never {
  throw unknown(named, why);
}

function unknown(named: Named, why: string): DomainError {
  return new DomainError('find_failed', `region of ${nameOf(named)} is not known: ${why}`);
}

function nameOf(named: Named): string {
  switch (named.kind) {
    case 'zip':
      return `ZIP ${named.zip}`;
    case 'city':
      return `${named.city}, ${named.state}`;
    case 'ip':
      return named.address;
    case 'slug':
      return named.slug;
  }
}
