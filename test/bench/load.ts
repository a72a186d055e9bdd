/** What the load generator is asked to do: a closed loop, each connection with one request under way at a time. */
export interface Load {
  readonly port: number;
  readonly connections: number;
  /** No visit begins after so many seconds; those under way are finished. */
  readonly seconds: number;
  readonly visit: Visit;
}

/** The requests that a connection sends again and again, in this order. */
export interface Visit {
  /** Whole HTTP requests. `{id}` becomes the id of the purchase that was answered last, `{user}` one user after another. */
  readonly requests: readonly string[];
  /** Ids of the same length. */
  readonly users: readonly string[];
}

/** What came of it. */
export interface LoadResult {
  readonly requests: number;
  /** From the first request to the last answer. */
  readonly seconds: number;
  /** Milliseconds that requests took. */
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
