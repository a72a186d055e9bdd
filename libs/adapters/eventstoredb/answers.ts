import { ErrorType } from '@eventstore/db-client';
import { Metadata, status } from '@grpc/grpc-js';
import type { Host } from './connection-string.js';

/** Codes of the server's own answers. They are no reason to look for another node. */
const ANSWERS: readonly unknown[] = [
  status.INVALID_ARGUMENT,
  status.FAILED_PRECONDITION,
  status.PERMISSION_DENIED,
  status.UNAUTHENTICATED,
  status.UNIMPLEMENTED,
  status.ABORTED,
];
/** The same for answers without a code. */
const SAID = /Unexpected \w*Read\w*|Exception was thrown by handler/;

/** Whether the node answered as it should. After anything else another node may have to answer. */
export function isAnswer(error: unknown): boolean {
  if (!(error instanceof Error) || !('code' in error)) return false;
  return ANSWERS.includes(error.code) || (error.code === status.UNKNOWN && SAID.test(error.message));
}

/** Whether the server has dropped a subscription because its reader is too slow. */
export function isTooSlow(error: unknown): boolean {
  return (error as { code?: unknown } | undefined)?.code === status.ABORTED;
}

/** The server does not give its user a right. */
export class Denied extends Error {
  override name = 'Denied';
  readonly code = status.PERMISSION_DENIED;

  /** @param right a text that follows "to": `read $all` */
  constructor(
    readonly right: string,
    cause: unknown,
  ) {
    super(`the user may not ${right}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}

/** The right to read all streams, and to follow them. */
export const READ_ALL = 'read $all';

/** The error of a call, with the right that it lacks if the server says that it lacks one. */
export function lacking(right: string, error: unknown): Error {
  if (error instanceof Denied) return error;
  return (error as { code?: unknown } | undefined)?.code === status.PERMISSION_DENIED
    ? new Denied(right, error)
    : (error as Error);
}

/** Whether the server denies the call: a repeat gets the same answer until an operator changes something. */
export function isDenied(error: unknown): boolean {
  const { code, type } = (error ?? {}) as { code?: unknown; type?: unknown };
  return code === status.PERMISSION_DENIED || code === status.UNAUTHENTICATED || type === ErrorType.ACCESS_DENIED;
}

/** Whether no connection to the node could be made, or it broke. */
export function isUnreached(error: unknown): boolean {
  return (error as { code?: unknown } | undefined)?.code === status.UNAVAILABLE;
}

/** Whether the node did not answer in time. */
export function isLate(error: unknown): boolean {
  return (error as { code?: unknown } | undefined)?.code === status.DEADLINE_EXCEEDED;
}

/** The server's name for its refusal: `not-leader`, `stream-deleted`. */
export function exceptionOf(error: unknown): string | undefined {
  return headerOf(error, 'exception');
}

/** The leader that another node names. */
export function leaderNamedBy(error: unknown): Host | undefined {
  const [address, port] = [headerOf(error, 'leader-endpoint-host'), headerOf(error, 'leader-endpoint-port')];
  if (address === undefined || port === undefined) return undefined;
  return { address: address.replace(/^\[(.*)\]$/, '$1'), port: Number(port) };
}

/** Whether a TLS connection reached a server without TLS. */
export function isWithoutTls(error: unknown): boolean {
  return error instanceof Error && /wrong version number|packet length too long|ssl3_get_record/i.test(error.message);
}

function headerOf(error: unknown, name: string): string | undefined {
  const { metadata } = (error ?? {}) as { metadata?: unknown };
  return metadata instanceof Metadata ? metadata.get(name)[0]?.toString() : undefined;
}
