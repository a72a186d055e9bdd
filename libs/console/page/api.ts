import { signal } from '@preact/signals';

/** Who has signed in. */
export interface Me {
  readonly name: string;
  readonly role: 'operator' | 'auditor';
  readonly version: string;
}

/** undefined: not known yet. null: nobody. */
export const me = signal<Me | null | undefined>(undefined);

/** Why nobody is signed in any more; undefined if there is nothing to say. */
export const signedOutBecause = signal<string | undefined>(undefined);

export type Json = unknown;
type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** A refusal of the service, or its silence. */
export class Failure extends Error {
  constructor(
    /** The HTTP status; 0 if there was no answer. */
    readonly status: number,
    message: string,
    /** What explains it. */
    readonly detail?: string,
    /** The id of the request, for the process log. */
    readonly requestId?: string | null,
  ) {
    super(message);
  }
}

interface Refusal {
  readonly error_msg?: string;
  readonly detail?: string;
  readonly errors?: readonly { readonly field?: string; readonly message?: string; readonly detail?: string }[];
}

/** The words of a refusal: those of each field, if it names fields. */
function wordsOf({ error_msg, errors }: Refusal): string {
  if (errors === undefined || errors.length === 0) return error_msg ?? 'the service refused this without a reason';
  return errors.map(({ field, message }) => [field, message].filter(Boolean).join(' ')).join('; ');
}

async function failureOf(response: Response): Promise<Failure> {
  const refusal = (await response.json().catch(() => ({}))) as Refusal;
  const detail = refusal.detail ?? refusal.errors?.find((each) => each.detail !== undefined)?.detail;
  return new Failure(response.status, wordsOf(refusal), detail, response.headers.get('request-id'));
}

/** Sends a request as the page. A session that has ended leads to the sign-in. @throws Failure */
export async function send(method: Method, path: string, options: RequestInit = {}): Promise<Response> {
  let response: Response;
  try {
    const headers = { accept: 'application/json', ...(options.headers as Record<string, string> | undefined) };
    response = await fetch(path, { method, ...options, headers, credentials: 'same-origin', cache: 'no-store' });
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error;
    throw new Failure(0, 'The service does not answer.', 'Does it run? This page tries again when it can.');
  }
  if (response.ok) return response;
  const failure = await failureOf(response);
  if (response.status === 401 && me.value) {
    signedOutBecause.value = 'Your session has ended. Sign in again.';
    me.value = null;
  }
  throw failure;
}

/** Reads a call. @throws Failure */
export async function get<T>(path: string, signal?: AbortSignal): Promise<T> {
  const response = await send('GET', path, signal === undefined ? {} : { signal });
  return (await response.json()) as T;
}

/** Reads a call that answers with a text. @throws Failure */
export async function getText(path: string): Promise<string> {
  return (await send('GET', path, { headers: { accept: '*/*' } })).text();
}

/** Makes a call that changes something, or that searches. Sent twice by a bad line, it is carried out once. @throws Failure */
export async function change<T>(method: Exclude<Method, 'GET'>, path: string, body: Json = {}): Promise<T> {
  const headers = { 'content-type': 'application/json', 'idempotency-key': crypto.randomUUID() };
  return (await (await send(method, path, { headers, body: JSON.stringify(body) })).json()) as T;
}

/** Signs in. @throws Failure */
export async function signIn(token: string): Promise<void> {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
  const response = await send('POST', '/console/session', { headers, body: '{}' });
  signedOutBecause.value = undefined;
  me.value = (await response.json()) as Me;
}

/** Ends the session. */
export async function signOut(): Promise<void> {
  await change('DELETE', '/console/session').catch(() => undefined);
  me.value = null;
}

/** Asks who is signed in. */
export async function askWho(): Promise<void> {
  const answer = await get<{ readonly name: string | null }>('/console/session').catch(() => undefined);
  me.value = answer === undefined || answer.name === null ? null : (answer as Me);
}

export const mayChange = (): boolean => me.value?.role === 'operator';
