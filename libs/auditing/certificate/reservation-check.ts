import type { ExportedEvent } from './exported-event.js';
import type { Faults } from './faults.js';
import { checkFollows } from './follows.js';
import type { Group } from './group.js';
import { sameFields, text } from './values.js';

/** What a reservation must follow. */
export interface Reserved {
  /** `hold-placed` */
  readonly placed: ExportedEvent;
  /** `hold-released` or `hold-expired` */
  readonly ended: ExportedEvent | undefined;
  /** `hold-claimed` or `units-sold` */
  readonly sale: ExportedEvent | undefined;
}

const PLACED = ['number', 'partner_id', 'deal', 'quantity', 'price', 'deadline', 'holder_id'] as const;
const ENDS: Readonly<Record<string, string>> = {
  'reservation-released.v1': 'hold-released.v1',
  'reservation-expired.v1': 'hold-expired.v1',
};

export const isClaim = ({ type }: Pick<ExportedEvent, 'type'>): boolean => type === 'reservation-claimed.v1';

/** Checks that a reservation's stream says what the inventory decided about its hold, and nothing else. */
export function checkReservation({ placed, ended, sale }: Reserved, group: Group, faults: Faults): void {
  const id = text(placed.data['reservation_id']);
  const stream = `reservation-${id}`;
  const [first, ...later] = group.take(stream);
  const isUnreadable = group.isUnreadable(stream);
  if (first === undefined) {
    if (!isUnreadable) faults.missing(placed, `${stream} is missing`);
    return;
  }
  if (first.type !== 'reservation-placed.v1') faults.add(first, 'accounts', 'a reservation does not begin so');
  else {
    checkFollows(first, placed, faults);
    if (
      first.data['purchase_id'] !== id ||
      first.data['created_at'] !== placed.time ||
      !sameFields(first.data, placed.data, PLACED)
    )
      faults.add(first, 'accounts', 'it does not say what hold-placed says');
  }
  let [ends, claims] = [0, 0];
  for (const event of later) {
    if (event.data['purchase_id'] !== id) faults.add(event, 'accounts', 'it names another purchase');
    if (isClaim(event)) {
      claims += 1;
      if (sale === undefined) faults.add(event, 'accounts', 'the inventory has no sale for it');
      else {
        checkFollows(event, sale, faults);
        if (event.data['user_id'] !== sale.data['user_id'])
          faults.add(event, 'accounts', 'it names another user than the sale');
      }
      if (claims > 1) faults.add(event, 'accounts', 'the reservation was claimed before');
      continue;
    }
    ends += 1;
    const of = ENDS[event.type];
    if (of === undefined || of !== ended?.type) faults.add(event, 'accounts', 'the inventory did not end its hold so');
    else checkFollows(event, ended, faults);
    if (ends > 1) faults.add(event, 'accounts', 'the reservation ended before');
  }
  if (isUnreadable) return;
  if (ended !== undefined && ends === 0 && claims === 0) faults.missing(ended, `${stream} does not say so`);
  if (sale !== undefined && claims === 0) faults.missing(sale, `${stream} does not say so`);
}
