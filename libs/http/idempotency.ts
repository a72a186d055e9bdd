import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Engine, RUNNING_FREES_AFTER, type RecordKey } from '#eventsourcing';
import type { Position } from '#kernel';
import { requestOf, type Call, type RunningRecord } from './call.js';
import { Refused } from './errors.js';

const PASSWORDS = ['password', 'password_confirmation', 'pass', 'pass_confirmation'];

/**
 * Parameters that no fingerprint may hold, not even hashed; and the key itself, which may be rotated between tries. Each at
 * its own places: what a partner calls so in data of its own is part of the request.
 */
const LEFT_OUT = new Set([
  'api_key',
  'verification_value',
  'credit_card.verification_value',
  ...PASSWORDS,
  ...PASSWORDS.map((name) => `user.${name}`),
]);

/** Milliseconds between two renewals of a record: a few may fail before others take the request for one that broke off. */
const RENEW_EVERY = RUNNING_FREES_AFTER / 5;

/** Answers that are not kept: they say nothing about what the request did. */
const notKept = (status: number): boolean => status >= 500 || status === 429 || status === 401;

/** An answer as it is kept: sealed, byte for byte. */
interface KeptAnswer {
  readonly status: number;
  readonly body: string;
  readonly position: string | null;
}

/** Thrown in place of running a request again: its first answer. */
export class Repeated extends Error {
  override name = 'Repeated';
  constructor(
    readonly status: number,
    readonly body: string,
    readonly position: Position | undefined,
  ) {
    super('the request was answered before');
  }
}

/** Begins a repeatable request (ruling A11): runs after it is known who calls, before anything is done. */
@Injectable()
export class IdempotencyGuard implements CanActivate {
  constructor(private readonly engine: Engine) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = requestOf(context);
    const key = request.headers['idempotency-key'];
    const { call, method } = request;
    if (key === undefined || !['POST', 'PUT', 'DELETE'].includes(method) || call.caller.kind === 'nobody') return true;
    if (typeof key !== 'string' || key.length < 1 || key.length > 255) {
      throw new Refused(422, 'validation_failed', 'Idempotency-Key must have 1 to 255 characters');
    }
    const { keyring, records, clock } = this.engine;
    const record: RecordKey = { credential: call.caller.credential, key };
    const fingerprint = keyring.hash('fingerprint', fingerprintOf(request));
    const begun = await records.begin(record, fingerprint, call.command.commandId, clock.now());
    switch (begun.kind) {
      case 'run':
        call.resumed = begun.commandId !== call.command.commandId;
        call.command = { ...call.command, commandId: begun.commandId };
        call.record = running(this.engine, record);
        return true;
      case 'running':
        throw new Refused(409, 'already_processing', 'the first request with this Idempotency-Key is still running');
      case 'different':
        throw new Refused(422, 'validation_failed', 'this Idempotency-Key was used for another request');
      case 'kept': {
        const kept = JSON.parse(begun.answer.toString()) as KeptAnswer;
        throw new Repeated(kept.status, kept.body, kept.position === null ? undefined : BigInt(kept.position));
      }
    }
  }
}

/** Keeps the answer of a repeatable request before it is sent. To be called with the final bytes. */
export async function keepAnswer(engine: Engine, call: Call, reply: FastifyReply, payload: unknown): Promise<void> {
  const { record } = call;
  if (record === undefined) return;
  call.record = undefined;
  clearInterval(record.renewing);
  if (notKept(reply.statusCode)) {
    await engine.records.free(record.key);
    return;
  }
  const kept: KeptAnswer = {
    status: reply.statusCode,
    body: without(call.secrets, typeof payload === 'string' ? payload : ''),
    position: call.position?.toString() ?? null,
  };
  await engine.records.keep(record.key, Buffer.from(JSON.stringify(kept)), engine.clock.now());
}

/** A record that says that its request runs for as long as it does: a charge may take longer than a crash frees a record. */
function running({ records, clock }: Engine, key: RecordKey): RunningRecord {
  // A renewal that fails is made up for by the next.
  const renew = (): void => void records.renew(key, clock.now()).catch(() => undefined);
  return { key, renewing: setInterval(renew, RENEW_EVERY).unref() };
}

function fingerprintOf(request: FastifyRequest): string {
  const { method, url, call } = request;
  const path = url.split('?', 1)[0];
  return JSON.stringify([method, path, sorted(call.parameters)]);
}

/** Parameters in a fixed order, without what must be left out; a number and its text are the same (A2). */
function sorted(value: unknown, place = ''): unknown {
  if (Array.isArray(value)) return value.map((each) => sorted(each, place));
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (typeof value !== 'object' || value === null) return value;
  return Object.entries(value)
    .filter(([name]) => !LEFT_OUT.has(`${place}${name}`))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, each]) => [name, sorted(each, `${place}${name}.`)]);
}

function without(secrets: readonly string[], body: string): string {
  if (secrets.length === 0) return body;
  return JSON.stringify(JSON.parse(body, (name, value: unknown) => (secrets.includes(name) ? undefined : value)));
}
