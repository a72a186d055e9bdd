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
  return address === undefined || port === undefined ? undefined : { address, port: Number(port) };
}

/** Whether a TLS connection met a server without TLS. */
export function isWithoutTls(error: unknown): boolean {
  return error instanceof Error && /wrong version number|packet length too long|ssl3_get_record/i.test(error.message);
}

function headerOf(error: unknown, name: string): string | undefined {
  const { metadata } = (error ?? {}) as { metadata?: unknown };
  return metadata instanceof Metadata ? metadata.get(name)[0]?.toString() : undefined;
}
