import type { Place } from '#kernel';

/** Where IP addresses are, as far as somebody knows. */
export abstract class IpLocations {
  /** @param address a version 4 or version 6 address, without a zone */
  abstract find(address: string): Place | undefined;
}
