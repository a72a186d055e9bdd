/** A place where buyers redeem a deal (interface 2.4), for print. */
export interface RedemptionPlace {
  /** The known lines, in the order of the country: `15 Main St`, `Boston, MA 02114`, `United States`. */
  readonly address: readonly string[];
  /** Empty if it is not set. */
  readonly phone: string;
  /** Empty if they are not set. */
  readonly hours: string;
}

/** The deal's attributes for buyers, besides the sale terms (interface 2.1). */
export interface Details {
  /** The deal's type (interface 2.2). */
  readonly type: string;
  /** The workflow state in the deal's last event (interface 3.1). */
  readonly state: string;
  readonly title: string;
  readonly merchant_name: string | null;
  /** The value in cents; null for a deal without prices. */
  readonly value: number | null;
  readonly description1: string | null;
  readonly fine_print: string | null;
  /** As set; only `printed` deals show it (ruling B3). */
  readonly fine_print_legalese: string | null;
  readonly instructions: string | null;
  readonly locations: readonly RedemptionPlace[];
  readonly fulfillment_method: 'redemptioncoded' | 'printed' | 'shipped' | null;
  readonly shipping_address_required: boolean;
  readonly redemption_url: string | null;
  readonly refundable: boolean;
  /** The IANA time zone of its region; UTC for an unknown region. */
  readonly time_zone: string;
}

/** The port through which purchasing reads a deal of the catalogue. The details are never stale. */
export abstract class DealDetails {
  /** Finds a deal in any state, also a deleted one, whose sales remain; undefined if it never existed. */
  abstract find(dealId: string): Promise<Details | undefined>;
}
