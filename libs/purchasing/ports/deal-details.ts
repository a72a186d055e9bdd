/** A place where buyers redeem a deal (interface 2.4), for print. */
export interface RedemptionPlace {
  /** The known lines, in the order of the country: `15 Main St`, `Boston, MA 02114`, `United States`. */
  readonly address: readonly string[];
  /** Empty if it is not set. */
  readonly phone: string;
  /** Empty if they are not set. */
  readonly hours: string;
}

/** What a sale depends on besides its terms, as the deal has it now (interface 2.1). */
export interface Details {
  /** The deal's type (interface 2.2). */
  readonly type: string;
  /** The workflow state in the deal's last event (interface 3.1). */
  readonly state: string;
  readonly fulfillment_method: 'redemptioncoded' | 'printed' | 'shipped' | null;
  readonly shipping_address_required: boolean;
  readonly refundable: boolean;
}

/** A deal as it was sold (ruling I2): what its coupons show, whatever has become of the deal since. */
export interface DealAsSold {
  readonly title: string;
  readonly merchant_name: string | null;
  /** The price and the value in cents; null for a deal without prices. */
  readonly price: number | null;
  readonly value: number | null;
  readonly description1: string | null;
  readonly highlights: string | null;
  readonly instructions: string | null;
  readonly fine_print: string | null;
  /** Null unless the coupons of the deal are printed (ruling B3). */
  readonly fine_print_legalese: string | null;
  readonly locations: readonly RedemptionPlace[];
  /** The path or URL of its picture. */
  readonly image: string | null;
  /** The IANA time zone, as it is now, of the region that sold it; UTC for an unknown region. */
  readonly time_zone: string;
}

/** The port through which purchasing reads a deal of the catalogue. */
export abstract class DealDetails {
  /** Finds a deal in any state, also a deleted one, whose sales remain; undefined if it never existed. Never stale. */
  abstract find(dealId: string): Promise<Details | undefined>;

  /**
   * The deal as the event with this revision left it.
   * @param revision of the deal's stream, from a sale (`DealSummary`)
   * @returns undefined if the log lacks the event: somebody cut the stream, which an operator has accepted
   */
  abstract asSold(dealId: string, revision: number): Promise<DealAsSold | undefined>;
}
