import type { Hash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { CommandContext, Freshness, RecordKey, Timer } from '#eventsourcing';
import type { Position } from '#kernel';

/** Who calls: a partner with its key, or an operator or auditor with a token. */
export type Caller =
  | {
      readonly kind: 'partner';
      readonly id: string;
      readonly name: string;
      readonly credential: string;
      /** The id of the key that it came with; undefined with the v3 password. */
      readonly key?: string;
    }
  | {
      readonly kind: 'operator';
      readonly role: 'operator' | 'auditor';
      /** The id of its token, as operators list it. */
      readonly id: string;
      readonly name: string;
      /** Its token, hashed under a key. */
      readonly credential: string;
    }
  | { readonly kind: 'nobody' };

/** Under which name events keep who acts: of a partner, with which of its keys (ruling G7). */
export function actorOf(caller: Exclude<Caller, { kind: 'nobody' }>): string {
  if (caller.kind === 'operator') return `${caller.role}:${caller.name}`;
  return caller.key === undefined ? `partner:${caller.name}` : `partner:${caller.name}/key:${caller.key}`;
}

export const NOBODY: Caller = { kind: 'nobody' };

/** The record of a request that runs, and the clockwork that renews it for as long. */
export interface RunningRecord {
  readonly key: RecordKey;
  readonly renewing: Timer;
  /** What was read so far of a body that comes line by line: the request is not the same with another. */
  readonly content: Hash | undefined;
}

/** What the service knows of one request while it answers it. */
export interface Call {
  /** The path as it was sent, prefix and suffix included, without the query. */
  readonly path: string;
  caller: Caller;
  /** The context of the command that the request sends. */
  command: CommandContext;
  /** True when the request broke off before and runs again under the same command id. */
  resumed: boolean;
  /** The last position that it wrote. */
  position: Position | undefined;
  /** Set while an answer is to be kept for repeats. */
  record: RunningRecord | undefined;
  /** Names of the answer's fields that are shown once and never kept. */
  secrets: readonly string[];
  /** The header `Holdfast-Position`: a read waits until the views have come so far. */
  since: Position;
  /** The parameters of query and body together (ruling A2). */
  parameters: Readonly<Record<string, unknown>>;
}

declare module 'fastify' {
  interface FastifyRequest {
    call: Call;
  }
}

/** The call of the present request, as a parameter of a controller's method. */
export const TheCall = createParamDecorator((_: unknown, context: ExecutionContext): Call => requestOf(context).call);

export function requestOf(context: ExecutionContext): FastifyRequest {
  return context.switchToHttp().getRequest<FastifyRequest>();
}

export function replyOf(context: ExecutionContext): FastifyReply {
  return context.switchToHttp().getResponse<FastifyReply>();
}

/** The partner that calls. */
export function partnerOf(call: Call): { readonly id: string; readonly name: string } {
  if (call.caller.kind !== 'partner') throw new Error('the route is not one for partners');
  return call.caller;
}

/** Remembers what a call wrote, so that reads wait for it: its partner's, and after an operator's change everybody's. */
export function remember({ caller }: Call, position: Position, freshness: Freshness): void {
  if (caller.kind === 'partner') freshness.wrote(caller.id, position);
  if (caller.kind === 'operator') freshness.operatorWrote(position);
}

/**
 * How new the answer to a read must be: what its partner or any operator wrote through this process, or what the header asks
 * for.
 */
export function sinceOf({ caller, since }: Call, freshness: Freshness): Position {
  const written = freshness.lastFor(caller.kind === 'partner' ? caller.id : undefined);
  return written > since ? written : since;
}
