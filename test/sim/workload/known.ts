import { Shelf } from './shelf.js';

export interface Partner {
  readonly slug: string;
  readonly id: string;
  readonly key: string;
  /** The credential of v3 calls: user name and password. */
  readonly basic: { readonly username: string; password: string };
}

export interface Deal {
  readonly slug: string;
  readonly kind: 'plain' | 'codes' | 'shipped' | 'card-linked';
}

export interface User {
  readonly id: string;
  readonly email: string;
  readonly partner: Partner;
}

/** Something that belongs to a partner, under its id. */
export interface Owned {
  readonly id: string;
  readonly partner: Partner;
  readonly user?: string;
  readonly deal?: string;
}

/** What the clients of a world know of its installation: the ids that answers have shown them. */
export class Known {
  readonly partners: Partner[] = [];
  readonly deals = new Shelf<Deal>();
  readonly users = new Shelf<User>();
  readonly cards = new Shelf<Owned>();
  readonly addresses = new Shelf<Owned>();
  readonly reservations = new Shelf<Owned>();
  readonly purchases = new Shelf<Owned>();
  readonly coupons = new Shelf<Owned>();
  /** Coupons that resellers sold. */
  readonly resold = new Shelf<Owned>();
  readonly links = new Shelf<Owned>();
  readonly savedDeals = new Shelf<Owned>();
  readonly subscriptions = new Shelf<Owned>();
  readonly batches = new Shelf<Owned>();
  /** Access tokens of users. */
  readonly tokens = new Shelf<Owned>();
  /** Keys that a partner has beside its first. */
  readonly keys = new Shelf<Owned>();
}
