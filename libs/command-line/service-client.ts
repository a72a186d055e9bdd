import type { Time, Timer } from '#eventsourcing';
import { parsedJson } from '#kernel';
import { COMMAND_LINE } from '#kernel/bounds';
import { ExitCode, CommandFailure } from './command-failure.js';
import type { Target } from './target.js';

/** The methods of operators' and auditors' calls. */
export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** What a request has besides its path, and how its answer is read. */
export interface Asking {
  /** It is sent as JSON; a text is JSON already. */
  readonly body?: object | string | undefined;
  /** The message if what the path names does not exist; the service's by default. */
  readonly unknown?: string;
  /** Whether 503 is an answer like any other. */
  readonly unready?: true;
}

/** Headers and body of a request. */
interface Sent {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | AsyncIterable<Uint8Array>;
}

const NDJSON = 'application/x-ndjson';

/** Sends operators' requests to the running service over HTTP. */
export class ServiceClient {
  /** Where requests go: the target, or what answers in its place. */
  #url: string;

  /** @param instead opens what answers if nothing does at the target; its URL, or undefined if there is nothing */
  constructor(
    private readonly target: Pick<Target, 'url' | 'token'>,
    private readonly time: Time,
    private readonly instead: () => Promise<string | undefined> = () => Promise.resolve(undefined),
  ) {
    this.#url = target.url;
  }

  /**
   * Sends one request and returns the body of the answer.
   * @throws CommandFailure if the service does not answer, or refuses
   */
  async ask<Body>(method: Method, path: string, { body, unknown, unready }: Asking = {}): Promise<Body> {
    const { url } = this.target;
    const json = typeof body === 'object' ? JSON.stringify(body) : body;
    const sent = json === undefined ? {} : { headers: { 'content-type': 'application/json' }, body: json };
    const response = await this.#send(method, path, sent, this.time.timeout(COMMAND_LINE.wait));
    if (!response.ok && !(response.status === 503 && unready === true)) throw await refusalOf(response, url, unknown);
    return parsedJson(await textOf(response, url)) as Body;
  }

  /**
   * The lines of an answer of any length, as they come.
   * @param signal ends it early
   * @param options.lines lines of JSON to send meanwhile
   * @param options.posts whether the call is a POST without lines
   * @param options.unknown as in `Asking`
   * @param options.wait milliseconds to wait for the next piece
   * @throws CommandFailure if the service does not answer, refuses, or is silent for too long
   */
  async *lines(
    path: string,
    signal: AbortSignal,
    {
      lines,
      posts = false,
      unknown,
      wait = COMMAND_LINE.wait,
    }: {
      readonly lines?: AsyncIterable<Uint8Array>;
      readonly posts?: boolean;
      readonly unknown?: string;
      readonly wait?: number;
    } = {},
  ): AsyncGenerator<string, void, void> {
    const { url } = this.target;
    const silent = new AbortController();
    const patience = (): Timer => this.time.after(wait, () => silent.abort(new Error('it is silent')));
    let timer = patience();
    try {
      const both = AbortSignal.any([signal, silent.signal]);
      const response = await (lines === undefined
        ? this.#send(posts ? 'POST' : 'GET', path, posts ? { headers: { accept: NDJSON } } : {}, both)
        : this.#send('POST', path, { headers: { 'content-type': NDJSON, accept: NDJSON }, body: lines }, both));
      if (!response.ok) throw await refusalOf(response, url, unknown);
      const decoder = new TextDecoder();
      let rest = '';
      for await (const piece of (response.body ?? []) as AsyncIterable<Uint8Array>) {
        // Not while the caller is slow to take lines: then the service waits, too.
        this.time.cancel(timer);
        const [first = '', ...more] = decoder.decode(piece, { stream: true }).split('\n');
        rest += first;
        for (const next of more) {
          yield rest;
          rest = next;
        }
        if (rest.length > COMMAND_LINE.answer) throw tooLarge(url);
        timer = patience();
      }
      if (rest !== '') yield rest;
    } catch (error) {
      if (signal.aborted) throw new CommandFailure('Interrupted: the answer is not whole.', ExitCode.interrupted);
      if (error instanceof CommandFailure) throw error;
      throw new CommandFailure(`The answer of ${url} broke off (${reasonOf(error)}).`, ExitCode.unreachable);
    } finally {
      this.time.cancel(timer);
    }
  }

  async #send(method: Method, path: string, { headers, body }: Sent, signal: AbortSignal): Promise<Response> {
    const all = { ...headers, authorization: `Bearer ${this.target.token}` };
    const sent = body === undefined ? {} : { body, duplex: 'half' as const };
    const send = (): Promise<Response> => fetch(new URL(path, this.#url), { method, headers: all, ...sent, signal });
    try {
      return await send();
    } catch (error) {
      const reason = reasonOf(error);
      const isNew = reason === NOBODY_LISTENS && this.#url === this.target.url;
      const url = isNew && onlyReads(method, path) ? await this.instead() : undefined;
      if (url === undefined) throw unreached(this.target.url, reason);
      this.#url = url;
    }
    return send();
  }
}

/** Whether a call reads what the folder has: the search sends what it looks for in a body, and health is that of a service. */
const onlyReads = (method: Method, path: string): boolean =>
  (method === 'GET' && !path.startsWith('/health/')) || path === '/operators/find';

/** Node's code for an address where nothing listens. */
const NOBODY_LISTENS = 'ECONNREFUSED';

/** What an error of the service says. */
interface ErrorBody {
  readonly error_msg?: string;
  readonly detail?: string;
  readonly errors?: readonly { readonly field: string; readonly message: string }[];
}

/** What a service says of a path that it does not have. */
const NO_PATH = 'no such path';

async function refusalOf(response: Response, url: string, unknown?: string): Promise<CommandFailure> {
  const { error_msg, detail, errors } = (parsedJson(await textOf(response, url)) as ErrorBody | undefined) ?? {};
  if (response.status === 404 && error_msg === NO_PATH) return notHere(url);
  if (response.status === 404 && unknown !== undefined) return new CommandFailure(unknown, ExitCode.refused);
  const faults = errors?.map(({ field, message }) => `${field} ${message}`).join('; ');
  return failureOf(response.status, faults ?? error_msg ?? `HTTP ${response.status}`, url, detail);
}

const notHere = (url: string): CommandFailure =>
  new CommandFailure(
    `${url} does not answer this command. If its service has an ADMIN_HOST, name that address with --url or HOLDFAST_URL; otherwise the service may be of another version.`,
    ExitCode.usage,
  );

const tooLarge = (url: string): CommandFailure =>
  new CommandFailure(
    `The answer of ${url} is larger than ${COMMAND_LINE.answer} bytes: is it Holdfast?`,
    ExitCode.refused,
  );

/** @throws CommandFailure if the answer is too large or breaks off */
async function textOf({ body }: Response, url: string): Promise<string> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const piece of (body ?? []) as AsyncIterable<Uint8Array>) {
      size += piece.length;
      if (size > COMMAND_LINE.answer) break;
      pieces.push(piece);
    }
  } catch (error) {
    throw new CommandFailure(`The answer of ${url} broke off (${reasonOf(error)}).`, ExitCode.unreachable);
  }
  if (size <= COMMAND_LINE.answer) return Buffer.concat(pieces).toString();
  throw tooLarge(url);
}

function failureOf(status: number, words: string, url: string, detail?: string): CommandFailure {
  const message = words.replace(/\.$/, '');
  switch (status) {
    case 401:
      return new CommandFailure(`${url} does not accept this token: ${message}.`, ExitCode.usage);
    case 403:
      return new CommandFailure(`${url}: ${message}.`, ExitCode.usage);
    case 404:
      return new CommandFailure(`Not found: ${detail ?? message}.`, ExitCode.refused);
    case 503:
      return new CommandFailure(
        `The service cannot do this at the moment: ${message}. Try again later.`,
        ExitCode.unreachable,
      );
    default:
      return new CommandFailure(`The service refused: ${message}.`, ExitCode.refused);
  }
}

/** Node's codes for a certificate that no known authority has signed. */
const UNTRUSTED =
  /^(DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_VERIFY_LEAF_SIGNATURE|UNABLE_TO_GET_ISSUER_CERT.*)$/;

function unreached(url: string, reason: string): CommandFailure {
  const what = UNTRUSTED.test(reason)
    ? `The certificate of ${url} is not trusted (${reason}). Set NODE_EXTRA_CA_CERTS=<file> to the one that signed it.`
    : `No service answers at ${url} (${reason}). Is it running?`;
  return new CommandFailure(what, ExitCode.unreachable);
}

/** The reason of a failed connection; fetch has it in the error's cause. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? (error.cause as { readonly code?: string } | undefined) : undefined;
  return cause?.code ?? (error instanceof Error ? error.message : String(error));
}
