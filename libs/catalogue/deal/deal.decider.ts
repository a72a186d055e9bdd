import { isDeepStrictEqual } from 'node:util';
import { DAY, DomainError, defineDecider, isoTime, refuseTogether, type Instant } from '#kernel';
import { DEAL_DEFAULTS, type DealAttributes } from './deal.attributes.js';
import type { DealEvent } from './deal.events.js';
import { missingAttributes } from './deal.needs.js';
import { dealAfter } from './deal.row.js';
import { stateAt, type DealAfter, type DealState } from './deal.state.js';
import { isPrepaid, type DealType } from './deal.types.js';

export type DealCommand =
  | {
      readonly type: 'put';
      readonly deal_id: string;
      readonly changes: Partial<DealAttributes>;
      /** The state of a new deal (ruling G4); submitted if absent. */
      readonly arrives?: DealState | undefined;
    }
  | { readonly type: 'move'; readonly to: DealState; readonly reason: string | null };

/** The moves that operators may make; the clock makes the others (ruling C1). */
const MOVES: Readonly<Record<DealState, readonly DealState[]>> = {
  submitted: ['in-review', 'cancelled', 'deleted'],
  'in-review': ['approved', 'rejected', 'cancelled', 'deleted'],
  rejected: ['submitted', 'deleted'],
  approved: ['cancelled', 'deleted'],
  'in-flight': ['paused', 'cancelled', 'deleted'],
  paused: ['in-flight', 'cancelled', 'deleted'],
  cancelled: ['deleted'],
  landed: ['deleted'],
  deleted: [],
};

/** A prepaid deal that is on sale for longer is an on-going deal (interface 8, ruling C2). */
const DAILY_AT_MOST = 15 * DAY;

/** A deal's catalogue data and workflow state. The inventory gets its sale terms from every event. */
export const deal = defineDecider<DealCommand, DealAfter | null, DealEvent>({
  category: 'deal',
  initialState: null,
  decide(command, state, now) {
    if (command.type === 'put') return put(command, state, now);
    if (state === null) throw new DomainError('deal_not_found', 'Unable to find');
    return move(state, command.to, command.reason, now);
  },
  evolve: (state, event) => dealAfter(state ?? undefined, event) ?? null,
});

function put(
  { deal_id, changes, arrives = 'submitted' }: Extract<DealCommand, { type: 'put' }>,
  state: DealAfter | null,
  now: Instant,
): DealEvent[] {
  if (state?.state === 'deleted') throw new DomainError('transition_refused', 'a deleted deal cannot be changed');
  const merged = { ...DEAL_DEFAULTS, ...state?.attributes, ...changes };
  const { title, region_id, start_at, end_at } = merged as DealAttributes;
  const missing = missingAttributes(merged, changes.type ?? state?.attributes.type);
  const hasWindow = !missing.includes('start_at') && !missing.includes('end_at');
  refuseTogether(
    ...missing.map((field) => () => {
      throw new DomainError('deal_attribute_missing', 'is missing', { field });
    }),
    () => {
      if (hasWindow && end_at <= start_at) throw new DomainError('deal_window_empty', 'must be after start_at');
    },
    () => {
      if (hasWindow && end_at > start_at) typeFor(changes, state, start_at, end_at);
    },
    () => {
      if (hasWindow) refuseEarlyExpiry(merged as DealAttributes, changes);
    },
    () => refuseTwoIncentives(merged),
    () => {
      if (state === null && arrives === 'in-flight' && now < start_at) {
        throw new DomainError(
          'deal_arrives_early',
          'cannot be in-flight before start_at: an approved deal becomes in-flight at start_at',
        );
      }
    },
  );
  const type = typeFor(changes, state, start_at, end_at);
  const attributes: DealAttributes = { ...merged, title, region_id, start_at, end_at, type };
  if (state === null) {
    return [{ type: 'deal-created.v1', data: { deal_id, state: arrives, attributes } }];
  }
  const changed = (Object.keys(attributes) as (keyof DealAttributes)[]).filter(
    (key) => !isDeepStrictEqual(attributes[key], state.attributes[key]),
  );
  if (changed.length === 0) return [];
  return [{ type: 'deal-changed.v1', data: { deal_id, state: state.state, attributes, changed } }];
}

/**
 * A voucher must not be over before the sale is (ruling I5). Where `expiration_days` decides, `expires_at` means nothing.
 * @throws DomainError deal_expires_early, which names the one that is set
 */
function refuseEarlyExpiry(
  { end_at, expires_at, expiration_days }: DealAttributes,
  changes: Partial<DealAttributes>,
): void {
  if (expires_at === null || expiration_days !== null || expires_at >= end_at) return;
  const isEndAlone = changes.end_at !== undefined && changes.expires_at === undefined;
  throw isEndAlone
    ? new DomainError('deal_expires_early', `must not be after expires_at, which is ${isoTime(expires_at)}`, {
        field: 'end_at',
      })
    : new DomainError('deal_expires_early', `must not be before end_at, which is ${isoTime(end_at)}`, {
        field: 'expires_at',
      });
}

/** @throws DomainError deal_incentive_twice (ruling H1) */
function refuseTwoIncentives({
  incentive_amount,
  incentive_percentage,
}: Pick<DealAttributes, 'incentive_amount' | 'incentive_percentage'>): void {
  if (incentive_amount === null || incentive_percentage === null) return;
  throw new DomainError('deal_incentive_twice', 'must be null in a deal with an incentive_amount');
}

/** The given or present type; the time on sale decides between the two prepaid ones. @throws DomainError deal_type_contradicts */
function typeFor(changes: Partial<DealAttributes>, state: DealAfter | null, start: Instant, end: Instant): DealType {
  const prepaid: DealType = end - start > DAILY_AT_MOST ? 'on-going' : 'daily-deal';
  const type = changes.type ?? state?.attributes.type ?? prepaid;
  if (!isPrepaid(type)) return type;
  if (changes.type !== undefined && changes.type !== prepaid) {
    throw new DomainError('deal_type_contradicts', `must be ${prepaid}: an on-going deal sells for more than 15 days`);
  }
  return prepaid;
}

function move(state: DealAfter, to: DealState, reason: string | null, now: Instant): DealEvent[] {
  const { deal_id, attributes } = state;
  const from = stateAt(state, now);
  if (from === to) return [];
  if (!MOVES[from].includes(to)) {
    throw new DomainError('transition_refused', `a deal that is ${from} cannot become ${to}`);
  }
  return [{ type: 'deal-moved.v1', data: { deal_id, state: to, attributes, from, reason } }];
}
