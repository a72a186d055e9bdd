/** A request to send. */
export interface Request {
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly path: string;
  /** Whole lines, such as the one of the credential. */
  readonly headers: readonly string[];
  readonly body?: string;
}

/** What `{id}` stands for, unless a visit says something else. */
export const PURCHASE_ID = '"purchase_id":"([^"]+)"';

/**
 * The requests that each connection repeats, in this order. In paths and bodies, `{value}` becomes the next value, the same for
 * all requests of a visit, and `{id}`, only in paths and headers, the id of the purchase that was answered last.
 */
export interface Visit {
  readonly requests: readonly Request[];
  readonly values?: readonly string[];
  /** Each value is used once: no visit begins when none is left. */
  readonly once?: boolean;
  /** A pattern whose first group is what `{id}` stands for, in the head or the body of an answer; `PURCHASE_ID` if absent. */
  readonly id?: string;
  /** Counts a visit as one request, from its first byte to its last answer. */
  readonly whole?: boolean;
}

/** The load generator's task: a closed loop, each connection with one request under way at a time. */
export interface Load {
  /** Connections are dealt to them in turn. */
  readonly ports: readonly number[];
  readonly connections: number;
  /** No visit begins after this many seconds; visits under way are finished. */
  readonly seconds: number;
  readonly visit: Visit;
}

/** The result of a load. */
export interface LoadResult {
  readonly requests: number;
  /** From the first request to the last answer. */
  readonly seconds: number;
  /** Milliseconds per request. */
  readonly p50: number;
  readonly p99: number;
  /** Microseconds of processor time per request that the load generator itself used. */
  readonly cpu: number;
}

export type LoadAnswer = { readonly result: LoadResult } | { readonly error: string };
