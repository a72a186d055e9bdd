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

/** A reseller's transaction as it was sent. */
export interface Order {
  readonly partner: Partner;
  readonly deal: string;
  readonly quantity: number;
  readonly reference: string;
  /** What the buyer paid, in cents. */
  readonly amount: number;
  readonly last_name: string;
}

/** A key or token with its secret. */
export interface Secret extends Owned {
  readonly secret: string;
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
  readonly keys = new Shelf<Secret>();
  /** Tokens of auditors. */
  readonly auditors = new Shelf<{ readonly id: string; readonly secret: string }>();
  /** Resellers' transactions, answered or not. */
  readonly orders = new Shelf<Order>();
}
