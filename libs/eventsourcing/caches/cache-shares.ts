import { getHeapStatistics } from 'node:v8';

/** How much of the memory a cache may have: a part of it, and at most so many bytes. */
interface Share {
  readonly part: number;
  readonly most: number;
}

const MEBIBYTE = 1024 * 1024;

/**
 * The caches whose entries can be large, and what each may hold: of the bytes that the process may use for JavaScript's values.
 * The texts of some are buffers beside these, for which the machine needs room as well.
 */
export const CACHE_SHARES = {
  /** States of streams. */
  states: { part: 1 / 4, most: Infinity },
  /** Facts of the log that followers lack. */
  facts: { part: 1 / 32, most: Infinity },
  deals: { part: 1 / 32, most: 64 * MEBIBYTE },
  dealItems: { part: 1 / 32, most: 80 * MEBIBYTE },
  dealPages: { part: 1 / 64, most: 32 * MEBIBYTE },
  purchaseItems: { part: 1 / 64, most: 48 * MEBIBYTE },
  purchasePages: { part: 1 / 64, most: 32 * MEBIBYTE },
  couponItems: { part: 1 / 64, most: 32 * MEBIBYTE },
  couponPages: { part: 1 / 64, most: 32 * MEBIBYTE },
  qrCodes: { part: 1 / 64, most: 32 * MEBIBYTE },
  soldDeals: { part: 1 / 128, most: 8 * MEBIBYTE },
  pictures: { part: 1 / 128, most: 16 * MEBIBYTE },
} as const satisfies Readonly<Record<string, Share>>;

/** What all of them may hold together: this part of the memory. */
export const CACHED_IN_ALL = 1 / 2;

/**
 * The bytes that a cache may hold.
 * @param memory bytes that the process may use for JavaScript's values (`Machine.memory`)
 */
export function cacheBytes(cache: keyof typeof CACHE_SHARES, memory: number): number {
  const { part, most } = CACHE_SHARES[cache];
  return Math.min(most, Math.floor(part * memory));
}

/** The bytes that each of the two generations of a cache of this process may hold. */
export function generationBytes(cache: keyof typeof CACHE_SHARES): number {
  return cacheBytes(cache, getHeapStatistics().heap_size_limit) / 2;
}
