import { missing, type ErrorEntry } from '#http';
import { IN_A_LIFE } from '#kernel/bounds';
import type { OrderFault, OrderKind } from './order.js';
import { PARAMETERS, type ReadOrder, type Unreadable } from './read-order.js';

type Part = OrderFault['part'];
type CodeOf<P extends Part> = Extract<OrderFault, { part: P }>['code'];
type FaultOf<P extends Part, C> = Extract<OrderFault, { part: P }> & { readonly code: C };

/** The entries of each fault in an answer; a fault without entries does not compile. */
type Words = {
  readonly [P in Part]: {
    readonly [C in CodeOf<P>]: (fault: FaultOf<P, C>, read: ReadOrder) => readonly ErrorEntry[];
  };
};

const WORDS: Words = {
  buyer: {
    unreadable: asRead('buyer'),
    missing: (_, { order }) => [missing(order.kind === 'full' ? 'user' : 'user_id', 'user')],
    unknown: () => [idFault('buyer', 'not_found', 'not found', 'you have no user with this id')],
    named_twice: () => [namedTwice('buyer')],
    deleted: () => [
      {
        type: 'invalid',
        message: 'has already been taken',
        field: 'email',
        resource: 'user',
        detail: 'by a deleted user: update_by_email with is_deleted=false restores them',
      },
    ],
  },
  card: {
    unreadable: asRead('card'),
    missing: () => [{ type: 'missing', message: 'missing credit card info', resource: 'credit_card' }],
    unknown: () => [idFault('card', 'not_found', 'not found', 'you have no credit card with this id')],
    named_twice: () => [namedTwice('card')],
    of_another: () => [idFault('card', 'not_owner', 'not owner', 'the card is another user’s')],
    // As `POST /credit_cards` answers.
    used_up: () => [
      {
        type: 'invalid',
        message: `the user has had ${IN_A_LIFE.cards} cards`,
        field: 'number',
        resource: 'credit_card',
        detail: 'deleted cards count too: only a number that the user has stored before can be stored again',
      },
    ],
  },
  purchase: {
    unreadable: asRead('purchase'),
    too_many: ({ at_most }) => [ofPurchase('quantity', 'cannot purchase that many', tooMany(at_most))],
    other_price: ({ price }) => [
      ofPurchase('expected_price_per_unit', 'price has changed', `a unit costs ${price} cents now`),
    ],
  },
  address: {
    unreadable: asRead('address'),
    missing: (_, { order }) => [missing(namedIn(order.kind), 'shipping_address')],
    unknown: () => [idFault('address', 'not_found', 'not found', 'you have no shipping address with this id')],
    named_twice: () => [namedTwice('address')],
    of_another: () => [idFault('address', 'not_owner', 'not owner', 'the address is another user’s')],
  },
  deal: {
    unknown: () => [
      {
        type: 'not_found',
        message: 'deal not found',
        resource: 'deal',
        detail: 'no deal has this deal_id: GET /v1/deals lists those on sale',
      },
    ],
  },
};

/** The order of the parts in an answer (ruling D6). */
const PARTS: readonly Part[] = ['buyer', 'card', 'purchase', 'address', 'deal'];

/** The parameters of a purchase, in the order of their faults. */
const OF_PURCHASE = ['deal_id', 'quantity', 'expected_price_per_unit', 'session_id'];

/** The entries for an order's faults, in the order of ruling D6. */
export function entriesOf(faults: readonly OrderFault[], read: ReadOrder): readonly ErrorEntry[] {
  return PARTS.flatMap((part) => {
    const entries = faults.filter((fault) => fault.part === part).flatMap((fault) => wordsOf(fault, read));
    return part === 'purchase' ? entries.sort((a, b) => placeOf(a) - placeOf(b)) : entries;
  });
}

function placeOf({ field = '' }: ErrorEntry): number {
  return OF_PURCHASE.indexOf(field);
}

function wordsOf(fault: OrderFault, read: ReadOrder): readonly ErrorEntry[] {
  const words = WORDS[fault.part] as Readonly<
    Record<string, (fault: OrderFault, read: ReadOrder) => readonly ErrorEntry[]>
  >;
  return words[fault.code]?.(fault, read) ?? [];
}

function asRead(part: keyof Unreadable): (fault: OrderFault, read: ReadOrder) => readonly ErrorEntry[] {
  return (_, { unreadable }) => unreadable[part];
}

function namedIn(kind: OrderKind): string {
  return kind === 'full' ? PARAMETERS.address.details : PARAMETERS.address.id;
}

function idFault(part: keyof typeof PARAMETERS, type: ErrorEntry['type'], message: string, detail: string): ErrorEntry {
  const { id: field, details: resource } = PARAMETERS[part];
  return { type, message, field, resource, detail };
}

/** An id replaces the details (interface 4.6.1). With both, the service would ignore one, perhaps the one that was meant. */
function namedTwice(part: keyof typeof PARAMETERS): ErrorEntry {
  const { id, details } = PARAMETERS[part];
  return { type: 'invalid', message: `send ${id} or ${details}, not both`, field: details, resource: details };
}

function ofPurchase(field: string, message: string, detail: string): ErrorEntry {
  return { type: 'invalid', message, field, resource: 'purchase', detail };
}

function tooMany(at_most: number): string {
  if (at_most === 0) return 'this user cannot buy more units of this deal';
  return `this user can buy ${at_most === 1 ? 'exactly 1 unit' : `1 to ${at_most} units`} of this deal now`;
}
