import type { Spread } from '../../test/bench/measure/median.js';
import type { Side } from '../../test/bench/result.js';
import type { Name } from './peer.ts';

/** The rows, in the order in which they are measured: what leaves holds comes last, because these run out after minutes. */
export const ROWS = {
  'read-1': { title: 'read one item', asks: 'read', connections: 1 },
  'read-64': { title: 'read one item', asks: 'read', connections: 64 },
  'list-1': { title: 'list 100', asks: 'list', connections: 1 },
  'list-64': { title: 'list 100', asks: 'list', connections: 64 },
  'reserve-1': { title: 'reserve one unit of a hot item', asks: 'reserve', connections: 1 },
  'reserve-64': { title: 'reserve one unit of a hot item', asks: 'reserve', connections: 64 },
} as const;

export type RowId = keyof typeof ROWS;

/** What a peer did in a row. */
export interface Result {
  readonly peer: Name;
  readonly title: string;
  readonly side: Side;
  readonly rate: Spread;
  /** How many times as fast Holdfast is, turn by turn; absent for itself. */
  readonly ahead?: Spread;
  /** A message: what the peer's own books say otherwise than its answers. */
  readonly wrong?: string;
}

/** A short sale of a limited stock to more callers than there are units. */
export interface Sale {
  readonly peer: Name;
  readonly title: string;
  readonly stock: number;
  readonly asked: number;
  /** Reservations that callers got as an answer. */
  readonly accepted: number;
  /** Units that the peer's own books say are taken. */
  readonly taken: number;
}

/** One run. */
export interface Run {
  /** An instant in ISO 8601. */
  readonly at: string;
  readonly machine: {
    readonly processors: string;
    readonly cores: number;
    readonly system: string;
    readonly node: string;
  };
  readonly versions: Readonly<Record<string, string>>;
  readonly options: { readonly turns: number; readonly seconds: number; readonly items: number };
  /** Milliseconds to write and sync 4 KiB beside the data. */
  readonly sync: number;
  readonly rows: readonly { readonly row: RowId; readonly results: readonly Result[] }[];
  readonly sales: readonly Sale[];
  /** Peers that did not start, with the reason. */
  readonly missing: Readonly<Record<string, string>>;
}
