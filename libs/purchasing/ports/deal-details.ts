/** A place where a deal is redeemed (interface 2.4), as it is written on paper. */
export interface RedemptionPlace {
  /** The lines that are known, in the order of its country: `15 Main St`, `Boston, MA 02114`, `United States`. */
  readonly address: readonly string[];
  /** Empty where it was not said. */
  readonly phone: string;
  /** Empty where they were not said. */
  readonly hours: string;
}

/** What a deal says to its buyers, beside its sale terms (interface 2.1). */
export interface Details {
  /** The deal's type (interface 2.2). */
  readonly type: string;
  /** Its workflow state, as it was last recorded (interface 3.1). */
  readonly state: string;
  readonly title: string;
  readonly merchant_name: string | null;
  /** What it is worth, in cents; null where it has no price. */
  readonly value: number | null;
  readonly description1: string | null;
  readonly fine_print: string | null;
  /** As recorded; it is shown for `printed` alone (ruling B3). */
  readonly fine_print_legalese: string | null;
  readonly instructions: string | null;
  readonly locations: readonly RedemptionPlace[];
  readonly fulfillment_method: 'redemptioncoded' | 'printed' | 'shipped' | null;
  readonly shipping_address_required: boolean;
  readonly redemption_url: string | null;
  readonly refundable: boolean;
  /** The IANA time zone of its region; UTC where the region is not known. */
  readonly time_zone: string;
}

/** What purchasing asks the catalogue about a deal. The answer is never stale. */
export abstract class DealDetails {
  /** Of a deal in whatever state, deleted ones too, for what was sold stays sold; undefined where there never was one. */
  abstract find(dealId: string): Promise<Details | undefined>;
}
