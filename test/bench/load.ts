/** The load generator's task: a closed loop, each connection with one request under way at a time. */
export interface Load {
  readonly port: number;
  readonly connections: number;
  /** No visit begins after this many seconds; visits under way are finished. */
  readonly seconds: number;
  readonly visit: Visit;
}

/** The requests that each connection repeats, in this order. */
export interface Visit {
  /** Whole HTTP requests. `{id}` becomes the id of the purchase that was answered last, `{user}` the next user. */
  readonly requests: readonly string[];
  /** Ids of the same length. */
  readonly users: readonly string[];
}

/** The result of a run. */
export interface LoadResult {
  readonly requests: number;
  /** From the first request to the last answer. */
  readonly seconds: number;
  /** Milliseconds per request. */
  readonly p50: number;
  readonly p99: number;
}

export type LoadAnswer = { readonly result: LoadResult } | { readonly error: string };

/** Joins head and body to one HTTP request. */
export function httpRequest(method: string, path: string, apiKey: string, body: string): string {
  return [
    `${method} ${path} HTTP/1.1`,
    'Host: localhost',
    `X-Api-Key: ${apiKey}`,
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
    '',
    body,
  ].join('\r\n');
}
