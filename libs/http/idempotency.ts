import { createHash, type Hash } from 'node:crypto';
import { Readable } from 'node:stream';
import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  Keyring,
  RUNNING_FREES_AFTER,
  type Clock,
  type IdempotencyRecords,
  type RecordKey,
  type Time,
} from '#eventsourcing';
import type { Position } from '#kernel';
import { HEADERS } from '#kernel/bounds';
import { repeaterOf, requestOf, type Call, type Caller, type RunningRecord } from './call.js';
import { CREDENTIAL_PARAMETERS } from './credential-parameters.js';
import { Refused } from './errors.js';
import { AS_OF, EXPIRES_AT } from './headers.js';
import { JSON_TYPE } from './ndjson.js';
import { SentNumber } from './sent-number.js';

const PASSWORDS = ['password', 'password_confirmation', 'pass', 'pass_confirmation'];

/**
 * Parameters that the fingerprint leaves out besides credentials, which may change between tries: secrets, even as a hash. Only
 * these places count: a field with such a name in a partner's own data is part of the request.
 */
const LEFT_OUT = new Set([
  'verification_value',
  'credit_card.verification_value',
  ...PASSWORDS,
  ...PASSWORDS.map((name) => `user.${name}`),
]);

/** Milliseconds between two renewals of a record. A few may fail before a retry takes the request for a broken-off one. */
const RENEW_EVERY = RUNNING_FREES_AFTER / 5;

/** Answers that are not stored, because they do not say whether the request did anything. */
const notKept = (status: number): boolean => status >= 500 || status === 429 || status === 401;

/** A stored answer, byte for byte. It is stored encrypted. */
interface StoredAnswer {
  readonly status: number;
  readonly body: string;
  readonly position: string | null;
  /** The `KEPT_HEADERS` that it had; absent if none. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The content type; absent for JSON. */
  readonly type?: string;
  /** The hash of a request body that was read line by line. */
  readonly content?: string;
}

/** Headers that a repeated answer has too. */
const KEPT_HEADERS = [EXPIRES_AT, AS_OF];

/** Carries the first answer of a repeated request, instead of running it again. */
export class Repeated extends Error {
  override name = 'Repeated';
  constructor(
    readonly status: number,
    readonly body: string,
    readonly position: Position | undefined,
    readonly type: string,
    readonly headers: Readonly<Record<string, string>>,
  ) {
    super('the request was answered before');
  }
}

/** What keeping answers needs. */
export class Keeping {
  constructor(
    readonly records: IdempotencyRecords,
    readonly clock: Clock,
    readonly time: Time,
  ) {}
}

type KnownCaller = Exclude<Caller, { kind: 'nobody' }>;

/** Begins a request with an Idempotency-Key (ruling A11): after authentication, before the call does anything. */
@Injectable()
export class IdempotencyGuard implements CanActivate {
  constructor(
    private readonly keyring: Keyring,
    private readonly keeping: Keeping,
  ) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const request = requestOf(context);
    const { headers, method, call } = request;
    const key = headers['idempotency-key'];
    const { caller } = call;
    if (key === undefined || !['POST', 'PUT', 'DELETE'].includes(method) || caller.kind === 'nobody') return true;
    return this.#begin(request, caller, key);
  }

  async #begin(request: FastifyRequest, caller: KnownCaller, key: string | string[]): Promise<boolean> {
    const { call } = request;
    const most = HEADERS['Idempotency-Key'];
    if (typeof key !== 'string' || key.length < 1 || key.length > most) {
      throw new Refused(422, 'validation_failed', `Idempotency-Key must have 1 to ${most} characters`);
    }
    const { keyring, keeping } = this;
    const { records, clock } = keeping;
    const record: RecordKey = { credential: repeaterOf(caller), key };
    const fingerprint = keyring.hash('fingerprint', fingerprintOf(request));
    const begun = await records.begin(record, fingerprint, call.command.commandId, clock.now());
    switch (begun.kind) {
      case 'run':
        call.command = {
          ...call.command,
          commandId: begun.commandId,
          resumed: begun.commandId !== call.command.commandId,
        };
        call.record = running(this.keeping, record, hashing(request));
        return true;
      case 'running':
        throw new Refused(409, 'already_processing', RUNNING, { 'retry-after': '1' }, COME_AGAIN);
      case 'different':
        throw another();
      case 'erased':
        throw new Refused(422, 'validation_failed', 'answered, and erased since', {}, ERASED);
      case 'kept': {
        const kept = JSON.parse(begun.answer.toString()) as StoredAnswer;
        const { status, body, position, type = JSON_TYPE, headers = {} } = kept;
        if (request.body instanceof Readable && (await contentOf(request.body)) !== kept.content) throw another();
        throw new Repeated(status, body, position === null ? undefined : BigInt(position), type, headers);
      }
    }
  }
}

const another = (): Refused =>
  new Refused(422, 'validation_failed', 'this Idempotency-Key was used for another request', {}, NEW_KEY);

const RUNNING = 'the first request with this Idempotency-Key is still running';
const COME_AGAIN = 'wait, then send the same request with the same key again: it gets the answer to the first';
const ERASED =
  'the request was carried out, and its answer showed a person who has been erased: read what it made by its id';
const NEW_KEY = 'the first answer is kept for 24 hours, even a refusal: send a changed request with a new key';

/** Hashes a body that is read line by line, while it is read: it is not there yet when the request's record begins. */
function hashing(request: FastifyRequest): Hash | undefined {
  const { body } = request;
  if (!(body instanceof Readable)) return undefined;
  const hash = createHash('sha256');
  request.body = Readable.from(hashed(body, hash), { objectMode: false });
  return hash;
}

async function* hashed(body: Readable, hash: Hash): AsyncGenerator<Buffer> {
  for await (const piece of body as AsyncIterable<Buffer>) {
    hash.update(piece);
    yield piece;
  }
}

/** Reads a body to its end, only to hash it. */
async function contentOf(body: Readable): Promise<string> {
  const hash = createHash('sha256');
  for await (const piece of body as AsyncIterable<Buffer>) hash.update(piece);
  return hash.digest('hex');
}

/**
 * Stores the answer of a request with an Idempotency-Key before it is sent.
 * @param payload the final bytes; or a stream of them, whose last piece then waits until the whole answer is stored
 * @returns the payload to send
 */
export async function keepAnswer(
  keeping: Keeping,
  call: Call,
  reply: FastifyReply,
  payload: unknown,
): Promise<unknown> {
  const { record } = call;
  if (record === undefined) return payload;
  call.record = undefined;
  const type = reply.getHeader('content-type');
  const head: Head = {
    status: reply.statusCode,
    type: typeof type === 'string' ? type : JSON_TYPE,
    headers: headersOf(reply),
  };
  if (payload instanceof Readable) return Readable.from(keptAtItsEnd(keeping, call, record, head, payload));
  await keep(keeping, call, record, head, typeof payload === 'string' ? payload : '');
  return payload;
}

/** Status and headers of an answer. */
interface Head {
  readonly status: number;
  readonly type: string;
  readonly headers: Readonly<Record<string, string>>;
}

async function keep(
  { records, clock, time }: Keeping,
  call: Call,
  { key, renewing, content }: RunningRecord,
  { status, type, headers }: Head,
  body: string,
): Promise<void> {
  time.cancel(renewing);
  const [person, ...others] = call.shown.persons;
  // An answer that shows several persons could not be erased with each of them; a repeat does nothing twice all the same.
  if (notKept(status) || others.length > 0) {
    await records.free(key);
    return;
  }
  const kept: StoredAnswer = {
    status,
    body: without(call.secrets, body),
    position: call.position?.toString() ?? null,
    ...(type !== JSON_TYPE && { type }),
    ...(content !== undefined && { content: content.digest('hex') }),
    ...(Object.keys(headers).length > 0 && { headers }),
  };
  const bytes = Buffer.from(JSON.stringify(kept));
  await records.keep(key, bytes, clock.now(), person);
  call.command.meter?.wrote(bytes.length);
}

/** Passes an answer on piece by piece. If the caller goes away, it still reads and stores the rest: the work goes on too. */
async function* keptAtItsEnd(
  keeping: Keeping,
  call: Call,
  record: RunningRecord,
  head: Head,
  answer: Readable,
): AsyncGenerator<string> {
  const pieces = answer[Symbol.asyncIterator]() as AsyncIterator<string, undefined>;
  const parts: string[] = [];
  const read = async (): Promise<boolean> => {
    try {
      const { done, value } = await pieces.next();
      if (done === true) await keep(keeping, call, record, head, parts.join(''));
      else parts.push(value);
      return done !== true;
    } catch (error) {
      keeping.time.cancel(record.renewing);
      await keeping.records.free(record.key);
      throw error;
    }
  };
  let goesOn = await read();
  try {
    while (goesOn) {
      const piece = parts.at(-1) ?? '';
      goesOn = await read();
      yield piece;
    }
  } finally {
    if (goesOn) void toTheEnd(read);
  }
}

/** Reads the rest. It ignores a failure: `read` has freed the record, and the caller is gone. */
async function toTheEnd(read: () => Promise<boolean>): Promise<void> {
  try {
    while (await read());
  } catch {
    return;
  }
}

function headersOf(reply: FastifyReply): Readonly<Record<string, string>> {
  const values = KEPT_HEADERS.map((name) => [name, reply.getHeader(name)] as const);
  return Object.fromEntries(values.filter((each): each is readonly [string, string] => typeof each[1] === 'string'));
}

/** Renews the record while the request runs: a charge may take longer than the time after which a record is freed. */
function running({ records, clock, time }: Keeping, key: RecordKey, content: Hash | undefined): RunningRecord {
  // The next renewal makes up for a failed one.
  const renew = (): void => void records.renew(key, clock.now()).catch(() => undefined);
  return { key, renewing: time.every(RENEW_EVERY, renew).unref(), content };
}

function fingerprintOf(request: FastifyRequest): string {
  const { method, url, call } = request;
  const path = url.split('?', 1)[0];
  return JSON.stringify([method, path, sorted(call.parameters)]);
}

/** Parameters in a fixed order, without credentials and `LEFT_OUT`; a number equals its text (ruling A2). */
function sorted(value: unknown, place = ''): unknown {
  if (Array.isArray(value)) return value.map((each) => sorted(each, place));
  if (value instanceof SentNumber) return String(value.isExact ? value.value : value);
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (typeof value !== 'object' || value === null) return value;
  return Object.entries(value)
    .filter(([name]) => !LEFT_OUT.has(`${place}${name}`) && !(place === '' && CREDENTIAL_PARAMETERS.has(name)))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, each]) => [name, sorted(each, `${place}${name}.`)]);
}

function without(secrets: readonly string[], body: string): string {
  if (secrets.length === 0) return body;
  return JSON.stringify(JSON.parse(body, (name, value: unknown) => (secrets.includes(name) ? undefined : value)));
}
