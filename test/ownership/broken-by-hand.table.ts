/** What finds a log that was broken by hand. */
export interface Found {
  /** What a start says, if it finds it; a pattern. */
  readonly start?: string;
  /** Whether each start finds it. Others find it if a view has seen the event last, or still has to read what follows. */
  readonly always?: true;
  /** The kinds of all that the self-audit and `verify` find. */
  readonly kinds: readonly string[];
  /**
   * The event at which both find something: the first that was changed, if this is absent.
   * @param changed what the way changed, took away or added
   */
  readonly at?: (changed: readonly string[]) => string;
  /**
   * The first fault of the certificate: the category of the stream that it names, and its words. Undefined if the events of the
   * deal contradict nothing.
   */
  readonly first?: readonly [category: string, words: string];
}

const LOST = 'has lost events|has no event at position';

/** The event after the first one. */
const nextOf = ([first = '']: readonly string[]): string => {
  const [stream, revision] = first.split('@');
  return `${stream}@${Number(revision) + 1}`;
};

/** By the name of the way. docs/ownership.md has the same table in words. */
export const FOUND: Readonly<Record<string, Found>> = {
  'a unit sold twice': {
    kinds: ['row', 'sum'],
    first: ['inventory', 'numbers: a unit does not have the next number'],
  },
  'a return without a cause': {
    kinds: ['follower', 'missing', 'row'],
    // The return, whose cause is gone.
    at: () => String.raw`inventory-spa@\d+`,
    first: ['inventory', 'causes: no cancelled coupon of the deal is its cause'],
  },
  'a coupon too many': { kinds: ['follower'] },
  'a coupon too many, in its sale too': {
    kinds: ['sum'],
    first: ['inventory', 'numbers: a unit does not have the next number'],
  },
  'a code twice': { kinds: ['row', 'sum'], first: ['inventory', 'codes: it gives code 0 of revision 5 again'] },
  'a charge without a sale': {
    kinds: ['follower', 'row', 'sum'],
    first: ['inventory', 'units: codes_left is not what the facts add up to'],
  },
  'held below 0': { kinds: ['sum'], first: ['inventory', 'units: held is below 0'] },
  'a changed price': {
    kinds: ['follower', 'row'],
    first: ['purchase', 'accounts: it does not say what the sale says'],
  },
  'a changed actor': {
    kinds: ['cause', 'row'],
    at: () => String.raw`reservation-\w+@1`,
    first: ['reservation', 'causes: its actor is not that of its cause inventory-spa@6'],
  },
  'a time moved back a week': {
    kinds: ['cause', 'follower', 'time'],
    first: ['inventory', 'time: it is earlier than a decision before it'],
  },
  'a changed sold': {
    kinds: ['follower', 'sum'],
    first: ['inventory', 'units: sold is not what the facts add up to'],
  },
  'a deleted coupon stream': {
    start: LOST,
    kinds: ['missing', 'row'],
    at: () => 'inventory-spa@6',
    first: ['inventory', 'accounts: coupon-'],
  },
  'a deleted middle event': {
    start: '^inventory-spa has lost events: revision ',
    always: true,
    kinds: ['follower', 'missing', 'row'],
    at: nextOf,
    first: ['inventory', 'order: nobody can read it from here'],
  },
  'two swapped events': {
    kinds: ['cause', 'follower', 'row', 'sum'],
    first: ['inventory', 'numbers: it ends a hold that is not open'],
  },
  'a maximum passed': {
    kinds: ['row', 'sum'],
    at: () => 'inventory-spa@6',
    first: ['inventory', 'limits: one buyer may not have so many units'],
  },
  'a changed price of a claim': { kinds: ['follower', 'sum'], first: ['inventory', 'accounts: '] },
  'a changed actor of a purchase': { kinds: ['cause', 'row'], first: ['purchase', 'causes: '] },
  'a hold moved back a week': { kinds: ['cause', 'follower', 'sum', 'time'], first: ['inventory', 'time: '] },
  'a changed sold of a claim': { kinds: ['sum'], first: ['inventory', 'units: '] },
  'a deleted claim': {
    start: LOST,
    kinds: ['follower', 'missing', 'row'],
    at: nextOf,
    first: ['inventory', 'order: '],
  },
  'two events in each other’s place': {
    start: LOST,
    kinds: ['follower', 'missing', 'order', 'row'],
    at: ([, sale = '']) => sale,
    first: ['inventory', 'order: '],
  },
  'a return that is added': { kinds: ['follower'], first: ['inventory', 'causes: '] },
  'a code twice, in the sale alone': { kinds: ['follower', 'sum'], first: ['inventory', 'codes: '] },
  'a charge of nobody': { kinds: ['ledger', 'sum'] },
  'a release that is added': { kinds: ['sum'], first: ['reservation', 'accounts: '] },
  'a unit sold twice, in the sale alone': { kinds: ['follower', 'sum'], first: ['inventory', 'numbers: '] },
};

/** The ways that CI tries: with them, each check finds each kind of fault, or nothing. `npm run test:nightly` tries the others. */
export const IN_CI: ReadonlySet<string> = new Set([
  'a unit sold twice',
  'a return without a cause',
  'a coupon too many',
  'a changed actor',
  'a time moved back a week',
  'a deleted coupon stream',
  'a deleted middle event',
  'two events in each other’s place',
  'a charge of nobody',
]);
