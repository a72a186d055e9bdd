import type { Visit } from '../../test/bench/load/visit.js';
import type { Server } from '../../test/bench/servers/server.js';

export type Name = 'holdfast' | 'transaction' | 'statement' | 'emmett' | 'emmett-kept' | 'vendure';

/** Of all items that are listed. */
export const REGION = 'shopland';

/** The ids of the catalogue. */
export function itemIds(count: number): readonly string[] {
  return Array.from({ length: count }, (_, nth) => `item-${String(nth).padStart(6, '0')}`);
}

/** A thing for sale, as Holdfast's list shows it: every peer stores the same text. */
export interface Item {
  readonly id: string;
  readonly region: string;
  /** An instant in ISO 8601. */
  readonly starts: string;
  readonly json: string;
}

/** A server under comparison, with the same catalogue as the others. */
export interface Peer {
  readonly title: string;
  readonly server: Server;
  /** Reserves one unit. @param item the id of a hot item */
  reserve(item: string): Visit;
  /** Whether the last answer of that says that the unit is the caller's. */
  accepted(status: number, answer: string): boolean;
  /** The first 100 of the catalogue. */
  list(): Visit;
  /** Any of the catalogue, in turn. */
  read(): Visit;
  /** Makes a hot item. Each turn has a new one. */
  addItem(item: string, stock: number): Promise<void>;
  /** Units of an item that are taken, by the peer's own books. */
  taken(item: string): Promise<number>;
}

/** How a peer is asked, apart from what it does only for this comparison. */
export type Calls = Pick<Peer, 'reserve' | 'accepted' | 'list' | 'read'>;

/** What a server said when it made an item, by the item's id. */
export type Made = ReadonlyMap<string, unknown>;
