/** The part that is used of the package `zipcodes`, which has no types of its own. */
declare module 'zipcodes' {
  /** A ZIP of the list. Where its place is not known, the coordinates are 0 or null. */
  interface ZipEntry {
    readonly latitude: number | null;
    readonly longitude: number | null;
  }

  export interface Zipcodes {
    lookup(zip: string): ZipEntry | undefined;
    /** Every ZIP of a city, case ignored; `[]` where there is no such city. */
    lookupByName(city: string, state: string): readonly ZipEntry[];
  }

  const zipcodes: Zipcodes;
  export default zipcodes;
}
