import type { AskOptions } from '../../support/running-service.js';

/** A request as whoever knows nothing of the service sends it. */
export interface Bare {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

/** So many that no address is refused for its failures alone: that would hide what the others cost. */
const ADDRESSES = 50;

/** The address of this machine that the nth caller calls from. */
export function addressOf(nth: number): string {
  return `127.0.0.${2 + (nth % ADDRESSES)}`;
}

/** What is sent of a request of our own. */
export function bare(method: string, path: string, { key, basic, token, body, headers = {} }: AskOptions): Bare {
  const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
  const credentials: Readonly<Record<string, string>> = {
    ...(key !== undefined && { 'x-api-key': key }),
    ...(basic !== undefined && { authorization: `Basic ${Buffer.from(basic).toString('base64')}` }),
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
  };
  const typed: Readonly<Record<string, string>> =
    text === undefined ? {} : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(text)) };
  return { method, path, headers: { ...credentials, ...typed, ...headers }, body: text };
}
