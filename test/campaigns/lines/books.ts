import type { Recorded } from '#kernel';
import type { Answer } from './api.child.js';

/** The broken promises in a deal's events, computed only from quantities, deadlines and ids. */
export interface Faults {
  /** Positions at which more units were held and sold than there are. */
  readonly oversold: number;
  /** Events in an answer that the log does not have. */
  readonly missing: number;
  /** Events, and so deadlines, that differ between answer and log, and holds that ended before their deadline. */
  readonly moved: number;
}

interface Data {
  readonly stock: number | null;
  readonly reservation_id: string;
  readonly purchase_id: string;
  readonly quantity: number;
  readonly deadline: number;
}

/** Adds up a deal's events: each hold, checkout and sale by its quantity. */
export function oversoldAndShortened(events: readonly Recorded[]): Pick<Faults, 'oversold' | 'moved'> {
  const open = new Map<string, Data>();
  let [stock, sold, oversold, moved] = [0, 0, 0, 0];
  for (const { type, data, metadata } of events) {
    const each = data as Data;
    switch (type) {
      case 'stock-set.v1':
        stock = each.stock ?? Infinity;
        break;
      case 'hold-placed.v1':
        open.set(each.reservation_id, each);
        if (each.deadline !== metadata.time + 300_000) moved += 1;
        break;
      case 'checkout-started.v1':
        open.set(each.purchase_id, each);
        break;
      case 'hold-expired.v1':
        if (metadata.time < (open.get(each.reservation_id)?.deadline ?? 0)) moved += 1;
        open.delete(each.reservation_id);
        break;
      case 'hold-released.v1':
        open.delete(each.reservation_id);
        break;
      case 'hold-claimed.v1':
      case 'units-sold.v1':
      case 'checkout-sold.v1':
        open.delete(each.purchase_id);
        sold += each.quantity;
        break;
      case 'checkout-undone.v1':
        open.delete(each.purchase_id);
        break;
      case 'terms-set.v1':
        break;
      default:
        throw new Error(`the books do not know ${type}`);
    }
    const held = [...open.values()].reduce((sum, { quantity }) => sum + quantity, 0);
    if (held + sold > stock) oversold += 1;
  }
  return { oversold, moved };
}

/** Compares the answers of callers with their streams. */
export async function missingAndMoved(
  answers: readonly Answer[],
  read: (stream: string) => Promise<readonly Recorded[]>,
): Promise<Pick<Faults, 'missing' | 'moved'>> {
  const streams = new Map<string, Map<string, Recorded>>();
  let [missing, moved] = [0, 0];
  for (const answer of answers) {
    for (const event of answer.kind === 'yes' ? answer.events : []) {
      let stream = streams.get(event.stream);
      if (stream === undefined) {
        stream = new Map((await read(event.stream)).map((each) => [each.id, each]));
        streams.set(event.stream, stream);
      }
      const there = stream.get(event.id);
      if (there === undefined || there.type !== event.type || there.revision !== event.revision) missing += 1;
      else if (JSON.stringify([there.data, there.metadata]) !== JSON.stringify([event.data, event.metadata]))
        moved += 1;
    }
  }
  return { missing, moved };
}
