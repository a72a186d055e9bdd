import { anything, type Check, either, exactly, type Fields, object } from './checks.js';
import { type Known } from './known.js';

/**
 * Who sends a call. `key`: the partner, with `api_key` in the query (5.2). `userinfo`: the partner, with username and password
 * (5.3). The others show what a caller without the right credentials gets.
 */
export type Sender = 'key' | 'userinfo' | 'nobody' | 'wrong key' | 'wrong password';

export interface Call {
  readonly sender: Sender;
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly query?: Readonly<Record<string, string | readonly string[]>>;
  /** The JSON object. A GET carries one too, where the interface marks its parameters as JSON. */
  readonly json?: unknown;
  /** 5.1: sent without HTTPS. */
  readonly plain?: boolean;
}

/** What the interface promises of an answer. */
export interface Promised {
  /** In words, for the table. */
  readonly status: string;
  readonly allows: (status: number) => boolean;
  /** What the body of an answer with this status is compared with. */
  readonly body: (status: number) => Check;
  /** Whether no answer at all keeps the promise too. */
  readonly mayBreak?: boolean;
}

/** One call, and what the interface says about its answer. */
export interface Step {
  /** The part of the interface that the expectation comes from. */
  readonly section: string;
  readonly does: string;
  /** Undefined if the world lacks what the call needs. */
  readonly call: (known: Known) => Call | undefined;
  readonly promises: (known: Known) => Promised;
  /** The values that later steps need: the name, and the path in the body. */
  readonly keep?: Readonly<Record<string, string>>;
  /** Repeats the call until the answer is as promised, for at most so many seconds. */
  readonly within?: number;
  /** How many of the same call are sent at once. */
  readonly copies?: number;
}

/** The partner lets time pass. */
export interface Pause {
  readonly section: string;
  readonly why: string;
  readonly seconds: (known: Known) => number;
}

export type Options = Pick<Step, 'keep' | 'within' | 'copies'>;
type More = Pick<Call, 'query' | 'json' | 'plain'>;

export function step(
  section: string,
  does: string,
  call: (known: Known) => Call | undefined,
  promises: Promised | ((known: Known) => Promised),
  options: Options = {},
): Step {
  return { section, does, call, promises: typeof promises === 'function' ? promises : () => promises, ...options };
}

/** The partner sends it with their API key. */
export function keyed(method: Call['method'], path: string, more: More = {}): Call {
  return { sender: 'key', method, path, ...more };
}

/** The partner sends it with username and password. */
export function named(method: Call['method'], path: string, more: More = {}): Call {
  return { sender: 'userinfo', method, path, ...more };
}

/** The interface gives no HTTP status of this success. */
export function succeeds(body: Check): Promised {
  return { status: '2xx', allows: (status) => status >= 200 && status < 300, body: () => body };
}

export function answers(status: number, body: Check): Promised {
  return { status: String(status), allows: (received) => received === status, body: () => body };
}

/** It does not succeed; the interface shows neither the status nor the body. */
export function refused(body: Check = anything): Promised {
  return { status: 'no success', allows: (status) => status >= 300, body: () => body };
}

/** The interface leaves open how it is answered. It must be an answer, not a fault of the service. */
export const open: Promised = { status: 'an answer', allows: (status) => status < 500, body: () => anything };

/** The interface allows any of these answers. */
export function anyOf(...promises: readonly Promised[]): Promised {
  return {
    status: promises.map(({ status }) => status).join(' or '),
    allows: (status) => promises.some(({ allows }) => allows(status)),
    body: (status) => {
      const [first = anything, ...others] = promises
        .filter(({ allows }) => allows(status))
        .map(({ body }) => body(status));
      return either(first, ...others);
    },
  };
}

/** An answer that names its success. */
export function success(fields: Fields = {}): Check {
  return object({ status: exactly('success'), ...fields });
}
