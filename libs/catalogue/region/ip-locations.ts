import type { Place } from '#kernel';

/** Looks up the place of an IP address; undefined for an unknown place. */
export abstract class IpLocations {
  /** @param address a version 4 or version 6 address, without a zone */
  abstract find(address: string): Place | undefined;
}
