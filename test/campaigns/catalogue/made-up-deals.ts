import { request } from 'node:http';
import type { Json, RunningService } from '../../support/running-service.js';

/** A made-up deal, with the attributes for its import. */
export interface MadeUpDeal {
  readonly slug: string;
  readonly state: string;
  readonly title: string;
  readonly type?: string;
  readonly region_id: string;
  /** Milliseconds since 1970. */
  readonly start: number;
  readonly end: number;
  readonly current_price: number | null;
  readonly category: string | null;
  readonly subcategory: string | null;
  readonly merchant_name: string | null;
  readonly merchant_id: string;
  readonly supplier_id: string | null;
  readonly marketplace_slug: string | null;
  readonly stock: number | null;
  readonly spots: readonly { readonly latitude: number; readonly longitude: number }[];
  readonly tags: readonly string[];
}

/** Numbers from 0 to 1 that are the same in every run (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export const REGIONS = ['boston', 'new-york', 'portland-me', 'north'] as const;
export const CATEGORIES = ['Food & Drink', 'Spas', 'Straße', 'food trucks', 'Travel'] as const;
const SUBCATEGORIES = ['Sushi', 'Massage', 'Day Trips', 'sushi bars'];
const MERCHANTS = ['Acme Spa', 'ACME Sushi', 'Bistro Ångström', 'café Élan'];
const STATES = [
  'approved',
  'approved',
  'approved',
  'approved',
  'in-flight',
  'paused',
  'submitted',
  'cancelled',
  'landed',
];
const HOUR = 3_600_000;

/** This many deals around `now`, the same in every run. */
export function madeUpDeals(count: number, now: number, seed = 7): MadeUpDeal[] {
  const random = seeded(seed);
  const one = <T>(of: readonly T[]): T => of[Math.floor(random() * of.length)] as T;
  const maybe = <T>(share: number, value: () => T): T | null => (random() < share ? value() : null);
  return Array.from({ length: count }, (_, index) => {
    const state = one(STATES);
    // Few ends and many deals: most deals tie, and the slug decides.
    const begun = state === 'in-flight' || random() < 0.8;
    const start = now + (begun ? -1 : 1) * HOUR * (1 + Math.floor(random() * 200));
    const end = Math.max(start, now) + HOUR * (state === 'landed' ? 1 : 1 + Math.floor(random() * 100));
    const offer = random() < 0.1;
    return {
      slug: `deal-${String(index).padStart(6, '0')}`,
      state,
      title: `${one(['A Day', 'Two Nights', 'ein ẞpaß', 'Dinner'])} for ${one(['two', 'Four', 'ALL'])} ${index % 97}`,
      ...(offer ? { type: one(['card-linked', 'affiliate']) } : {}),
      region_id: one(REGIONS),
      start,
      end,
      current_price: offer ? null : 100 * Math.floor(random() * 60),
      category: maybe(0.9, () => one(CATEGORIES)),
      subcategory: maybe(0.6, () => one(SUBCATEGORIES)),
      merchant_name: maybe(0.9, () => one(MERCHANTS)),
      merchant_id: `merchant-${Math.floor(random() * 9)}`,
      supplier_id: maybe(0.7, () => `supplier-${Math.floor(random() * 9)}`),
      marketplace_slug: maybe(0.5, () => `market-${Math.floor(random() * 30)}`),
      stock: maybe(0.8, () => Math.floor(random() * 6)),
      spots: Array.from({ length: Math.floor(random() * 3) }, () => ({
        latitude: 40 + random() * 6,
        longitude: -75 + random() * 6,
      })),
      tags: random() < 0.2 ? ['bg'] : [],
    };
  });
}

/** Imports them in one request, and expects that each is accepted. */
export async function importDeals(service: RunningService, deals: readonly MadeUpDeal[]): Promise<void> {
  const lines = function* (): Generator<string> {
    for (const slug of REGIONS) {
      yield JSON.stringify({ kind: 'region', slug, name: slug, time_zone: 'America/New_York', active: true });
    }
    for (const { start, end, spots, ...deal } of deals) {
      const dates = { start_at: new Date(start).toISOString(), end_at: new Date(end).toISOString() };
      const locations = spots.map((address) => ({ address }));
      const value = deal.current_price;
      yield JSON.stringify({ kind: 'deal', ...deal, ...dates, value, locations });
    }
  };
  const answer = await new Promise<Json>((resolve, reject) => {
    const url = new URL('/operators/import', service.url);
    const headers = { authorization: `Bearer ${service.operatorToken}`, 'content-type': 'application/x-ndjson' };
    const sent = request(url, { method: 'POST', headers }, (response) => {
      let text = '';
      response.on('data', (chunk: Buffer) => (text += chunk.toString()));
      response.on('end', () => resolve(JSON.parse(text)));
    });
    sent.on('error', reject);
    for (const line of lines()) sent.write(`${line}\n`);
    sent.end();
  });
  if (answer.status !== 'success' || answer.refused.length > 0) throw new Error(JSON.stringify(answer).slice(0, 1_000));
}
