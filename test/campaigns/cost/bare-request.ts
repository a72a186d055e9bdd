import type { AskOptions } from '../../support/running-service.js';

/** A request of a caller who knows nothing of the service. */
export interface Bare {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

/** So many that no address is refused for its failures alone: that would hide the cost of the others. */
const ADDRESSES = 50;

/** The nth caller's address, which belongs to this machine. */
export function addressOf(nth: number): string {
  return `127.0.0.${2 + (nth % ADDRESSES)}`;
}

/** The bare form of a request of ours. */
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
