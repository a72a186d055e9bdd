import type { Seeded } from '../core/seeded.js';
import type { Answer, Installation, Request } from '../world/installation.js';
import { OPERATOR } from '../world/service-process.js';
import type { World } from '../world/world.js';
import type { Meaning } from './history.js';
import type { Known, Partner } from './known.js';
import type { Operation } from './operation.js';
import type { Sender } from './sender.js';
import type { ServiceClock } from './service-clock.js';

/** JSON of an answer. */
// The shapes are those of the interface; a field that is missing reads as undefined.
export type Json = { readonly [name: string]: Json } & readonly Json[] & string;

const NO_CREDENTIAL = { token: '' };

/** One operation while it is done. */
export class Doing {
  readonly random: Seeded;

  constructor(
    readonly operation: Operation,
    readonly known: Known,
    readonly world: World,
    readonly installation: Installation,
    private readonly sender: Sender,
    private readonly clock: ServiceClock,
  ) {
    this.random = operation.random;
  }

  /** The name of what it makes. */
  named(part: string | number = ''): string {
    return `${this.operation.index}${part === '' ? '' : `.${part}`}`;
  }

  /** The service's time. */
  get now(): number {
    return this.clock.now();
  }

  partner(): Partner {
    return this.random.one(this.known.partners);
  }

  /** A call of a partner. @returns its JSON if it succeeded */
  call(
    { key }: Partner,
    method: Request['method'],
    path: string,
    body?: object,
    meaning?: Meaning,
  ): Promise<Json | undefined> {
    return this.#send({ method, path, credential: { key }, ...(body && { body }) }, meaning);
  }

  /** A call of a partner who does not repeat it, whatever becomes of it. @returns its answer, a refusal too */
  once(
    { key }: Partner,
    method: Request['method'],
    path: string,
    body: object,
    meaning?: Meaning,
  ): Promise<Answer | undefined> {
    const { index, kind } = this.operation;
    return this.sender.send(index, kind, this.random, { method, path, credential: { key }, body }, meaning, 'gives up');
  }

  /** A v3 call of a partner. */
  v3(
    { basic }: Partner,
    method: Request['method'],
    path: string,
    body?: object,
    meaning?: Meaning,
  ): Promise<Json | undefined> {
    const authorization = `Basic ${Buffer.from(`${basic.username}:${basic.password}`).toString('base64')}`;
    const request: Request = { method, path: `/api/v3${path}`, credential: NO_CREDENTIAL, headers: { authorization } };
    return this.#send({ ...request, ...(body && { body }) }, meaning);
  }

  /** A call with the access token of a user. */
  byToken(
    token: string,
    method: Request['method'],
    path: string,
    body?: object,
    meaning?: Meaning,
  ): Promise<Json | undefined> {
    return this.#send({ method, path, credential: { token }, ...(body && { body }) }, meaning);
  }

  operate(method: Request['method'], path: string, body?: object, meaning?: Meaning): Promise<Json | undefined> {
    const request = { method, path: `/operators${path}`, credential: { token: OPERATOR }, ...(body && { body }) };
    return this.#send(request, meaning);
  }

  /** A read of an auditor. */
  audit(token: string, path: string): Promise<Json | undefined> {
    return this.#send({ method: 'GET', path, credential: { token } });
  }

  /** A call with a key that may be revoked. */
  byKey(key: string, method: Request['method'], path: string, body?: object): Promise<Json | undefined> {
    const request: Request = { method, path, credential: NO_CREDENTIAL, headers: { 'x-api-key': key } };
    return this.#send({ ...request, ...(body && { body }) });
  }

  /** Imports lines. @returns what became of each, if all were read */
  async importLines(...lines: readonly object[]): Promise<readonly Json[] | undefined> {
    // An answer in lines tells the progress.
    const inLines = this.random.chance(0.4) && { accept: 'application/x-ndjson' };
    const headers = { 'content-type': 'application/x-ndjson', ...inLines };
    const { index, kind } = this.operation;
    const request = {
      method: 'POST',
      path: '/operators/import',
      credential: { token: OPERATOR },
      lines,
      headers,
    } as const;
    const answer = await this.sender.send(index, kind, this.random, request);
    if (answer === undefined || answer.status >= 300) return undefined;
    return answer.text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Json);
  }

  /** A call that needs no credential. */
  async open(method: Request['method'], path: string): Promise<Answer | undefined> {
    return this.sender.send(this.operation.index, this.operation.kind, this.random, {
      method,
      path,
      credential: NO_CREDENTIAL,
    });
  }

  async #send(request: Request, meaning?: Meaning): Promise<Json | undefined> {
    const { index, kind } = this.operation;
    const answer = await this.sender.send(index, kind, this.random, request, meaning);
    return answer !== undefined && answer.status < 300 ? (JSON.parse(answer.text) as Json) : undefined;
  }
}

/** What a kind of operation does. */
export interface Kind {
  /** How often it comes, relative to the other kinds. */
  readonly weight: number;
  do(doing: Doing): Promise<unknown>;
}
