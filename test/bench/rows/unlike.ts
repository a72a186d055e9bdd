import type { Request, Visit } from '../load/visit.js';

/** The zeros that may stand before a number, and in how many ways a page can be asked for with them. */
const ZEROS = 37;
const WAYS = Array.from({ length: ZEROS ** 2 }, (_, nth) => nth);
const zeros = (many: number): string => '0'.repeat(many);

/** v1 knows all its parameters, but reads numbers with zeros before them. */
const V1 = WAYS.map((nth) => `page=${zeros(nth % ZEROS)}1&per_page=${zeros(Math.floor(nth / ZEROS))}100`);
/** v3 ignores parameters that it does not know. */
const V3 = Array.from({ length: 20 * WAYS.length }, (_, nth) => `unlike=${nth}`);

/**
 * Asks for the first page of a list of deals, each time in another way: so no page is remembered (for a second at most), and the
 * search is measured.
 */
export function unlike(request: Request): Visit {
  const { path } = request;
  const asked = { ...request, path: `${path}${path.includes('?') ? '&' : '?'}{value}` };
  return { requests: [asked], values: path.startsWith('/api/v3/') ? V3 : V1 };
}
