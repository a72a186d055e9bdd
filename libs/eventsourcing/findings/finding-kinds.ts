import type { FindingKind } from '../ports/finding.js';

/** What is true of all findings of a kind. */
interface KindOfFinding {
  /** What accepting it loses, for operators; null if nobody can accept it: then its words say the way out. */
  readonly accepting: string | null;
  /**
   * Whether it ends by itself when the earlier log is back, or an operator accepted the state at another process. A key store is
   * restored document by document, so nobody knows when it is complete.
   */
  readonly resolvesItself: boolean;
}

const LATER_SALES =
  'units and redemption codes of later sales are sold again, and nobody refunds charges that the log does not know.';
const OLDER_LOG: KindOfFinding = {
  accepting: `Accepting it loses what this log does not have: ${LATER_SALES}`,
  resolvesItself: true,
};
const LOST: KindOfFinding = { accepting: `Accepting it loses what is gone: ${LATER_SALES}`, resolvesItself: false };
const HIDDEN: KindOfFinding = {
  accepting:
    'Accepting it loses what those events say: units are sold again, redemption codes are given out again, and nobody ' +
    'finds the purchases.',
  resolvesItself: false,
};
const OTHER_LEDGER: KindOfFinding = {
  accepting:
    'Accepting it loses what only the right ledger knows: a refund of such a charge is refused, and a charge that is under ' +
    'way may be made again.',
  resolvesItself: false,
};
/** An operator must put it right, and start again. */
const PUT_RIGHT: KindOfFinding = { accepting: null, resolvesItself: false };
/** It ends by itself, and in no other way. */
const WAIT: KindOfFinding = { accepting: null, resolvesItself: true };

/** Each kind of finding. */
export const FINDING_KINDS: Readonly<Record<FindingKind, KindOfFinding>> = {
  // Another log than the one that is known, or an older copy of it.
  empty: OLDER_LOG,
  identity: OLDER_LOG,
  mark: OLDER_LOG,
  owner: OLDER_LOG,
  keys: OLDER_LOG,
  unowned: OLDER_LOG,
  view: {
    accepting: `Accepting it loses what the log does not have: ${LATER_SALES} The views are then built again.`,
    resolvesItself: false,
  },
  lost: LOST,
  moved: LOST,
  back: LOST,
  unreadable: WAIT,
  'accepted elsewhere': WAIT,
  'too many': PUT_RIGHT,
  // A stream.
  gap: {
    accepting:
      'Accepting it loses what the missing events say: units that they sold are sold again, redemption codes that they gave ' +
      'out are given out again, and their charges have no record.',
    resolvesItself: false,
  },
  hole: HIDDEN,
  order: {
    accepting: 'Accepting it means that views are built from the events in the order in which they stand.',
    resolvesItself: false,
  },
  cut: HIDDEN,
  tombstone: HIDDEN,
  stranger: { accepting: 'Accepting it means that Holdfast ignores it.', resolvesItself: false },
  'unknown stream': PUT_RIGHT,
  // What is beside the log.
  lease: PUT_RIGHT,
  clock: PUT_RIGHT,
  'key store': PUT_RIGHT,
  'keys behind': {
    accepting:
      'Accepting it loses what only the later one had: nobody can read the names, addresses and cards of users who came ' +
      'since, repeats of calls are carried out again, and the names of users who were erased since can be read again.',
    resolvesItself: false,
  },
  ledger: OTHER_LEDGER,
  'older ledger': OTHER_LEDGER,
  'ledger lines': {
    accepting:
      'Accepting it loses the purchases of these lines: nothing here gives their money back, so people must do it at the ' +
      'gateway, by the keys that the process log names at that start; their units and redemption codes are sold again, and a ' +
      'coupon whose money went back is valid again.',
    resolvesItself: false,
  },
  // The data folder, before a start.
  starts: {
    accepting: 'Accepting it loses the names and cards of users who came later.',
    resolvesItself: false,
  },
  manifest: { accepting: 'Accepting it makes a new one from the files that exist.', resolvesItself: false },
};

/** Whether an operator may accept findings of this kind. */
export function isAcceptable(kind: FindingKind): boolean {
  return FINDING_KINDS[kind].accepting !== null;
}
