import { EARTH_RADIUS_MILES } from '#eventsourcing';
import { foldText } from '#kernel';
import type { MadeUpDeal } from './made-up-deals.js';

/** The state at a time, written again in the plainest way (ruling C1). */
export function stateOf({ state, start, end }: MadeUpDeal, now: number): string {
  const begun = state === 'approved' && now >= start ? 'in-flight' : state;
  return ['in-flight', 'paused'].includes(begun) && now >= end ? 'landed' : begun;
}

/** Miles between two places on the great circle, by the spherical law of cosines: another formula than the service's. */
export function milesBetween(
  a: { readonly latitude: number; readonly longitude: number },
  b: { readonly latitude: number; readonly longitude: number },
): number {
  const radians = (degrees: number): number => (degrees * Math.PI) / 180;
  const [from, to] = [radians(a.latitude), radians(b.latitude)];
  const across = radians(b.longitude - a.longitude);
  const cosine = Math.sin(from) * Math.sin(to) + Math.cos(from) * Math.cos(to) * Math.cos(across);
  return EARTH_RADIUS_MILES * Math.acos(Math.min(1, cosine));
}

const has = (text: string | null, part: string): boolean => text !== null && foldText(text).includes(foldText(part));
const among = (one: string | null, list: string): boolean => one !== null && list.split(',').includes(one);

/** What each parameter of the v1 list requires of a deal (interface 4.3, ruling C3); `place` stands for three of them. */
export const FITS: Readonly<Record<string, (deal: MadeUpDeal, given: string, now: number) => boolean>> = {
  slug: (deal, given) => deal.slug === given,
  marketplace_slug: (deal, given) => deal.marketplace_slug === given,
  title: (deal, given) => has(deal.title, given),
  category: (deal, given) => has(deal.category, given),
  subcategory: (deal, given) => has(deal.subcategory, given),
  merchant: (deal, given) => has(deal.merchant_name, given),
  price_min: (deal, given) => deal.current_price !== null && deal.current_price >= Number(given),
  price_max: (deal, given) => deal.current_price !== null && deal.current_price <= Number(given),
  region: (deal, given) => deal.region_id === given,
  suppliers: (deal, given) => among(deal.supplier_id, given),
  vendors: (deal, given) => among(deal.merchant_id, given),
  num_left: (deal, given) => deal.stock === null || deal.stock >= Number(given),
  exclude_soldout: (deal) => deal.stock === null || deal.stock > 0,
  runs_min: (deal, given) => deal.end > Date.parse(given),
  runs_max: (deal, given) => deal.start <= Date.parse(given),
  state: (deal, given, now) => stateOf(deal, now) === given,
  show_all: () => true,
  place: (deal, given) => {
    const [latitude = 0, longitude = 0, radius = 0] = given.split(',').map(Number);
    return deal.spots.some((spot) => milesBetween(spot, { latitude, longitude }) <= radius);
  },
};

/** Parameters with values, as the service gets them. */
export type ListQuery = Readonly<Record<string, string>>;

/** The slugs that match, latest end first, ties by slug. Only in-flight deals, if no parameter is about states. */
export function naively(deals: readonly MadeUpDeal[], asked: ListQuery, now: number): string[] {
  const states = 'state' in asked || 'show_all' in asked ? {} : { state: 'in-flight' };
  const conditions = Object.entries({ ...asked, ...states });
  return deals
    .filter((deal) => conditions.every(([name, given]) => FITS[name]?.(deal, given, now)))
    .sort((a, b) => b.end - a.end || (a.slug < b.slug ? -1 : 1))
    .map(({ slug }) => slug);
}
