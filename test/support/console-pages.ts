import type { Json } from './running-service.js';

/** What there is to look at. */
interface Shown {
  /** A fulfilled purchase. */
  readonly purchase: Json;
  readonly deal: string;
  readonly user: string;
  readonly partner: string;
}

/** The pages of the console: all lists, and one thing of each kind. */
export const pagesOf = ({ purchase: { id, coupons }, deal, user, partner }: Shown): readonly string[] => [
  ...['', '/deals', `/deals/${deal}`, '/purchases', `/purchases/${id}`, '/reservations'],
  ...['/coupons', `/coupons/${coupons[0].id}`, '/card-links', '/regions'],
  ...['/users', `/users/${user}`, '/cards', '/subscriptions', '/saved-deals', '/batches'],
  ...['/partners', `/partners/${partner}`, '/access-tokens', '/tokens'],
  ...['/projections', '/projections/regions', '/work', '/imports', '/acts', '/settings'],
  ...[`/streams/deal-${deal}`, '/found'],
];
