import type { Spread } from './measure/median.js';
import type { RowId } from './rows.table.js';

/** What a server did in its turns: medians over the turns. */
export interface Side {
  readonly name: string;
  /** Requests per second. */
  readonly rate: number;
  /** Milliseconds per request. */
  readonly p50: number;
  readonly p99: number;
  /** Microseconds of processor time per request, all threads together; null where the system does not report it. */
  readonly cpu: number | null;
  /** Microseconds per second that it uses without requests, if it is a cluster: `cpu` is without them, `threads` with them. */
  readonly background?: number;
  /** The same by the names of threads. */
  readonly threads: Readonly<Record<string, number>>;
  /** The same of the servers that it uses and that ran on this machine, by name. */
  readonly uses?: Readonly<Record<string, number>>;
  /** Microseconds per request of the load generator. */
  readonly load: number;
}

/** One line of the table. */
export interface Line {
  readonly row: RowId;
  /** What of the row it measures, if the row has several lines. */
  readonly of?: string;
  /** In the row's unit; the median of the turns, the lowest and the highest. Absent if it failed. */
  readonly figure?: Spread;
  /** Why there is no figure. */
  readonly failed?: string;
  readonly connections?: number;
  /** Holdfast first, then its yardsticks. */
  readonly sides?: readonly Side[];
  /** Further figures, by words that say what they are. */
  readonly shown?: Readonly<Record<string, number>>;
  /** Milliseconds to write and sync 4 KiB beside the data. */
  readonly sync: number;
}

/** A line as a row measures it; the bench adds the row and the disk's sync time. */
export type Measured = Omit<Line, 'row' | 'sync'>;

/** One run of the benchmark, or the medians of several. */
export interface Run {
  /** An instant in ISO 8601. */
  readonly at: string;
  /** How many runs the figures are medians of, if more than one. */
  readonly runs?: number;
  readonly machine: {
    readonly processors: string;
    readonly cores: number;
    /** Gigabytes. */
    readonly memory: number;
    readonly system: string;
    readonly node: string;
  };
  readonly options: {
    readonly turns: number;
    readonly seconds: number;
    readonly connections: number;
    /** The size of the data folders; 1 for the sizes that the rows name. */
    readonly scale: number;
  };
  /** What Holdfast ran on, if not in one process on embedded engines. */
  readonly cluster?: {
    readonly apis: number;
    /** The names of the servers, with words about those that stand in for others. */
    readonly servers: string;
  };
  readonly lines: readonly Line[];
}
