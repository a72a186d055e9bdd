/**
 * What must exist before a partner begins: the interface presupposes it, and gives a partner no call for it. Whoever knows the
 * service prepares it.
 *
 * At the start, at least twelve hours of the UTC day are left: the script lets minutes pass before it speaks of "tomorrow"
 * (4.14). A field of type `… | undefined` is undefined if nobody can bring it about; the script then leaves its steps out, and
 * says so.
 */
export interface World {
  /** The partner who sends all calls. */
  readonly partner: Partner;
  /** 5.1: how a call reaches the service without HTTPS. It must fail. */
  readonly plain: Plain;
  /** The service's time. A real partner reads their own clock. */
  readonly now: () => Promise<Date>;
  /** Lets so many seconds pass for the service. A real partner waits. */
  readonly pass: (seconds: number) => Promise<void>;
  readonly regions: Regions;
  readonly deals: Deals;
  readonly cards: Cards;
  /** A user who has an address: the interface has no call that makes one and names its id. */
  readonly shopper: Shopper;
  readonly refunds: Refunds;
  /** 8: ids of at least 10,010 users of the partner who are in no batch. Undefined leaves the limit of a day out. */
  readonly crowd: readonly string[] | undefined;
  /** 3.5: a user of the partner to whom sending an email fails. */
  readonly undeliverableUserId: string | undefined;
}

/** One partner with both kinds of credentials, who is an approved reseller too. */
export interface Partner {
  /** 5.2: the API key. */
  readonly key: string;
  /** 5.3: goes in the address of v3 calls, before the host. */
  readonly username: string;
  /** 5.3: the password that belongs to the username. */
  readonly password: string;
}

/** How the runner sends a call without HTTPS. */
export interface Plain {
  /** The address. Undefined: the usual address, and the headers show that the call came without HTTPS. */
  readonly at: string | undefined;
  /** Headers of such a call, as whatever stands before the service sends them. */
  readonly headers: Readonly<Record<string, string>>;
}

export interface Regions {
  readonly home: HomeRegion;
  /** The id of an active region hundreds of miles from `home`. */
  readonly far: string;
  readonly crowded: CrowdedRegion;
}

/** An active region in which most deals are. */
export interface HomeRegion {
  /** 2.12: the slug. */
  readonly id: string;
  readonly name: string;
  /** The full name of its city, as in `/regions/:city,:state/deals`. */
  readonly city: string;
  /** Two characters. */
  readonly state: string;
  /** A zip code in it, without a leading zero: 4.12 takes it as an integer. */
  readonly zip: string;
  /** An IP address that the service places in it. Undefined if it places none. */
  readonly ip: string | undefined;
  /** Where its deals have a location. */
  readonly latitude: number;
  readonly longitude: number;
}

/** An active region of its own, for lists longer than a page (4.1). */
export interface CrowdedRegion {
  readonly id: string;
  /**
   * How many deals it has, all in-flight: more than 100, fewer than 200. They share no category, merchant, supplier or title
   * with others.
   */
  readonly deals: number;
}

/** A deal, of which these facts are known. */
export interface KnownDeal {
  readonly id: string;
  /** `current_price`, in cents; more than 0 if the deal is prepaid. */
  readonly price: number;
}

/** A deal that the filters of 4.2 and 4.3 find. */
export interface BrowsedDeal extends KnownDeal {
  readonly title: string;
  readonly category: string;
  readonly subcategory: string;
  readonly merchant: string;
  readonly supplierId: string;
  /** 4.3: the slug of its vendor. Undefined if deals have none. */
  readonly vendor: string | undefined;
  /** 4.3: its marketplace slug. Undefined if deals have none. */
  readonly marketplaceSlug: string | undefined;
}

/**
 * The deals. Unless a field says otherwise: a deal is in-flight, in region `home`, has a location there, images of all sizes,
 * descriptions, tags and texts, stays on sale for at least five days, has at least 200 units, lets one user buy at least 50, is
 * not shipped, and gives coupons.
 */
export interface Deals {
  /** A daily-deal. */
  readonly daily: BrowsedDeal;
  /** An on-going deal, on sale for more than 15 days, of another category, subcategory, merchant, title and price than `daily`. */
  readonly onGoing: KnownDeal & { readonly category: string; readonly subcategory: string };
  /** A daily-deal or on-going deal with fulfillment_method shipped. */
  readonly shipped: KnownDeal;
  /** One with fulfillment_method printed. */
  readonly printed: KnownDeal;
  /** Three card-linked deals that any user can link. */
  readonly cardLinked: readonly [KnownDeal, KnownDeal, KnownDeal];
  /** An affiliate deal. */
  readonly affiliate: KnownDeal;
  /** An on-going deal in region `home` that is sold out. */
  readonly soldOut: KnownDeal;
  /** One that has exactly one unit. */
  readonly single: KnownDeal;
  /** One of which a user may buy at most so many; fewer than its units. */
  readonly limited: KnownDeal & { readonly maxPerUser: number };
  /** One in region `far`, with its location there. */
  readonly far: KnownDeal;
  /** In state approved; it starts after the script's first hour, and before noon (UTC) of tomorrow. */
  readonly approved: KnownDeal;
  /** In state submitted; its dates allow an email tomorrow. */
  readonly submitted: KnownDeal;
  /** In state approved; it starts after tomorrow (UTC). */
  readonly startsLater: KnownDeal;
  /** In flight; it ends in the last hour (UTC) of today. */
  readonly endsToday: KnownDeal;
}

/** A payment card as a user types it. */
export interface Card {
  /** 16 digits. */
  readonly number: string;
  readonly verificationValue: string;
  readonly month: number;
  readonly year: number;
  readonly zipCode: string;
}

/** The interface names no card for tests. */
export interface Cards {
  /** One that can be charged. */
  readonly good: Card;
  /** Another that can be charged. */
  readonly other: Card;
  /** One that can be stored and whose charge is declined. */
  readonly declined: Card;
}

/** A user of the partner with a stored card that can be charged, and a stored shipping address. */
export interface Shopper {
  readonly userId: string;
  readonly creditCardId: string;
  readonly shippingAddressId: string;
}

/** 7.3: what makes a coupon impossible to cancel, beside its state. */
export interface Refunds {
  /** A deal that the partner can resell, with barcodes that are non-refundable. */
  readonly nonRefundableDealId: string | undefined;
  /** A coupon that the partner resold, and that is already part of another refund. */
  readonly inAnotherRefund: string | undefined;
  /** A coupon that the partner resold, of a purchase with no more coupons left to refund. */
  readonly beyondBought: string | undefined;
}
