/** Types of the parts of the package `zipcodes` that we use; the package has no types. */
declare module 'zipcodes' {
  /** A ZIP of the list. The coordinates of an unknown place are 0 or null. */
  export interface ZipEntry {
    readonly city: string;
    readonly latitude: number | null;
    readonly longitude: number | null;
  }

  export interface Zipcodes {
    lookup(zip: string): ZipEntry | undefined;
    /** Every ZIP of a state of two letters; `[]` for an unknown state. */
    lookupByState(state: string): readonly ZipEntry[];
  }

  const zipcodes: Zipcodes;
  export default zipcodes;
}
