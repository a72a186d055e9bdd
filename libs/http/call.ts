import type { Hash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { CommandContext, Freshness, RecordKey, Shown, Timer } from '#eventsourcing';
import type { Position } from '#kernel';
import type { CalledAt } from './paths.js';
import type { Unused } from './unused-parameters.js';
import type { RestrictedKey, UserToken } from './user-token.js';

/** Who calls: a partner, a partner's user, an operator, an auditor, or nobody known. */
export type Caller =
  | {
      readonly kind: 'partner';
      readonly id: string;
      readonly name: string;
      readonly credential: string;
      /** The id of the API key; undefined for a v3 password and for an access token. */
      readonly key?: string;
      /** Set if the key is a restricted one. */
      readonly restricted?: RestrictedKey;
      /** Set if one of the partner's users calls. */
      readonly token?: UserToken;
      /** Set while an operator has suspended the partner (ruling I10): every call of the partner is refused. */
      readonly suspended?: true;
    }
  | {
      readonly kind: 'operator';
      readonly role: 'operator' | 'auditor';
      /** The id of the token, as in the list of tokens. */
      readonly id: string;
      readonly name: string;
      /** A keyed hash of the token. */
      readonly credential: string;
    }
  | { readonly kind: 'nobody' };

/** The actor that events store: the role and name, and for a partner the id of the API key or access token (ruling G7). */
export function actorOf(caller: Exclude<Caller, { kind: 'nobody' }>): string {
  if (caller.kind === 'operator') return `${caller.role}:${caller.name}`;
  const { name, key, token } = caller;
  if (token !== undefined) return `partner:${name}/token:${token.id}`;
  return key === undefined ? `partner:${name}` : `partner:${name}/key:${key}`;
}

/**
 * Who shares the records of repeated requests (ruling I11): the full keys and the v3 password of a partner; its restricted keys of
 * one name; the tokens of one user. So a request that is sent again with another credential of the same caller runs once.
 */
export function repeaterOf(caller: Exclude<Caller, { kind: 'nobody' }>): string {
  if (caller.kind === 'operator') return caller.credential;
  const { id, token, restricted } = caller;
  if (token !== undefined) return `partner:${id}/user:${token.user_id}`;
  return restricted === undefined ? `partner:${id}` : `partner:${id}/key:${restricted.name}`;
}

export const NOBODY: Caller = { kind: 'nobody' };

/** The record of a running request, and the timer that renews it. */
export interface RunningRecord {
  readonly key: RecordKey;
  readonly renewing: Timer;
  /** Hashes a body that is read line by line: the same key with another body is another request. */
  readonly content: Hash | undefined;
}

/** What an operator has done with a call, for the log: never a secret, and no name of a person. */
export interface Act {
  /** Such as "the stock was set". */
  readonly words: string;
  /** What it was done to, and how: ids, numbers, names of attributes. */
  readonly of: Readonly<Record<string, string | number | boolean | null | readonly string[]>>;
}

/** What the service knows about one request while it runs. */
export interface Call {
  /** The path as the caller sent it, with prefix and suffix, without the query. */
  readonly path: string;
  /** Over plain HTTP from another machine, `admin` shows no more than `public`, so such a call counts as one of `public`. */
  readonly at: CalledAt;
  caller: Caller;
  /** The context of the command that the request sends. */
  command: CommandContext;
  /** The last position that the call wrote. */
  position: Position | undefined;
  /** What its answer shows of the log. */
  readonly shown: Shown;
  /** The form of answers when the call began; see `AnswerForm`. */
  readonly form: number | undefined;
  /** Set once it has done what an operator asked for. */
  act?: Act;
  /** Set if the answer must be kept for repeats. */
  record: RunningRecord | undefined;
  /** Fields of the answer that are shown once and never kept. */
  secrets: readonly string[];
  /** The header `Holdfast-Position`: a read waits until the views have reached it. */
  since: Position;
  /** The parameters that the call did not use; undefined if there are none. */
  unused: Unused | undefined;
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
  // `switchToHttp` makes three functions for each call.
  return context.getArgByIndex<FastifyRequest>(0);
}

/** The partner that calls. */
export function partnerOf(call: Call): { readonly id: string; readonly name: string } {
  if (call.caller.kind !== 'partner') throw new Error('the route is not one for partners');
  return call.caller;
}

/** The id of the partner's key that the call came with. */
export function keyIdOf({ caller }: Pick<Call, 'caller'>): string {
  if (caller.kind !== 'partner' || caller.key === undefined) throw new Error('the route is not one for keys');
  return caller.key;
}

/** The access token of the user who calls; undefined if no user calls. */
export function userTokenOf({ caller }: Pick<Call, 'caller'>): UserToken | undefined {
  return caller.kind === 'partner' ? caller.token : undefined;
}

/** Notes the position that a call wrote. Its partner's later reads wait for it; after an operator's change, all reads do. */
export function remember({ caller }: Call, position: Position, freshness: Freshness): void {
  if (caller.kind === 'partner') freshness.wrote(caller.id, position);
  if (caller.kind === 'operator') freshness.operatorWrote(position);
}

/**
 * The position that a read must reach: the last write of its partner or of any operator through this process, or the
 * position in the header if that is later.
 */
export function sinceOf({ caller, since }: Call, freshness: Freshness): Position {
  const written = freshness.lastFor(caller.kind === 'partner' ? caller.id : undefined);
  return written > since ? written : since;
}
