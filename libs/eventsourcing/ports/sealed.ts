/** Sealed bytes, and the number of the key that opens them. */
export interface Sealed {
  readonly key: number;
  readonly bytes: Uint8Array;
}
