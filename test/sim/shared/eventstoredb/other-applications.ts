import type { OutgoingEvent } from '#adapters/eventstoredb';
import type { Seeded } from '../../core/seeded.js';

/**
 * An event of another application on the server: with names, types and metadata of any kind, some of them almost as ours.
 * @param prefix of our streams
 * @returns its stream, and the event
 */
export function otherEvent(random: Seeded, prefix: string): [stream: string, event: OutgoingEvent] {
  const number = random.whole(1, 9);
  const ours = { time: 1_900_000_000_000, command_id: 'c', correlation: 'r', causation: null, actor: 'somebody' };
  const [stream, type, data, metadata] = random.one<[string, string, object | null, object | undefined]>([
    [`orders-${number}`, 'OrderPlaced', { order: number }, undefined],
    [`orders-${number}`, 'OrderPaid', { order: number }, { user: 'ann' }],
    // No JSON.
    [`orders-${number}`, 'OrderPrinted', null, undefined],
    // A name like ours; without a prefix, only the metadata tells that it is not.
    [`purchase-${number}`, 'purchase-charged.v1', { amount: 1_000 }, prefix === '' ? { user: 'ann' } : ours],
    // Another installation of the same product, whose prefix begins like ours.
    [`${prefix}b_deal-${number}`, 'deal-put.v1', { title: 'theirs' }, ours],
    [`${prefix}b_inventory-${number}`, 'stock-set.v1', { units: 5 }, ours],
    [`x${prefix}inventory-${number}`, 'stock-set.v1', { units: 5 }, ours],
  ]);
  const hex = random.bytes(16).toString('hex');
  const id = [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20)].join(
    '-',
  );
  return [stream, { id, type, data: data as object, ...(metadata && { metadata }) }];
}
