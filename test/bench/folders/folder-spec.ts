/** What a data folder holds. */
export interface FolderSpec {
  readonly name: string;
  /** Made-up deals for lists: in all states and four regions, or all of them on sale in one region. */
  readonly listed: number;
  readonly regions: 'four' | 'one';
  /** Further deals, which all purchases share evenly. */
  readonly sold: number;
  /** Each of one unit, reserved and claimed. */
  readonly purchases: number;
  /** They buy in turn. */
  readonly users: number;
}

/** The large data folders of the rows. */
export const FOLDERS = {
  /** A hundred purchases for each user. */
  catalogue: { name: 'catalogue', listed: 100_000, regions: 'four', sold: 1_000, purchases: 10_000, users: 100 },
  year: { name: 'year', listed: 100_000, regions: 'four', sold: 1_000, purchases: 1_000_000, users: 10_000 },
  /** 1 000 000 events: 3 of each deal, 6 of each purchase. */
  million: { name: 'million', listed: 0, regions: 'four', sold: 20_000, purchases: 156_000, users: 1_500 },
  'small-region': { name: 'small-region', listed: 10_000, regions: 'one', sold: 0, purchases: 0, users: 1 },
  'large-region': { name: 'large-region', listed: 1_000_000, regions: 'one', sold: 0, purchases: 0, users: 1 },
} as const satisfies Readonly<Record<string, FolderSpec>>;

/** A folder's specification at the scale of a run. */
export function scaled(spec: FolderSpec, sized: (number: number) => number): FolderSpec {
  const of = (number: number): number => (number === 0 ? 0 : sized(number));
  return {
    ...spec,
    listed: of(spec.listed),
    sold: of(spec.sold),
    purchases: of(spec.purchases),
    users: of(spec.users),
  };
}

/** What a measurement needs to know of a data folder: kept beside it. */
export interface FolderNotes {
  readonly spec: FolderSpec;
  readonly key: string;
  /** `user:password` for v3. */
  readonly basic: string;
  readonly users: readonly string[];
  /** Milliseconds since 1970; later, too many of its deals have ended. */
  readonly until: number;
  /** The build that has last brought its views up to date. */
  readonly build: string;
}

/** The slug of the nth deal that sells. */
export const soldDeal = (nth: number): string => `sold-${String(nth).padStart(6, '0')}`;

/** The slug of the nth listed deal. */
export const listedDeal = (nth: number): string => `deal-${String(nth).padStart(7, '0')}`;

const ID_DIGITS = 32;

/** The id of the nth purchase, and of its coupon. */
export const purchaseId = (nth: number): string => nth.toString(16).padStart(ID_DIGITS, '0');
export const couponId = (nth: number): string => `c${nth.toString(16).padStart(ID_DIGITS - 1, '0')}`;
