import { Metadata, status } from '@grpc/grpc-js';

/** The error of a call in EventStoreDB's form: the client recognises most of them by their trailers. */
function callError(code: status, details: string, trailers: Readonly<Record<string, string>> = {}): Error {
  const metadata = new Metadata();
  for (const [name, value] of Object.entries(trailers)) metadata.set(name, value);
  return Object.assign(new Error(details), { code, details, metadata });
}

export const notReady = (): Error => callError(status.UNAVAILABLE, 'Server Is Not Ready');

export const notLeader = ({ host, advertised }: { readonly host: string; readonly advertised: number }): Error =>
  callError(status.NOT_FOUND, 'Leader info available', {
    exception: 'not-leader',
    'leader-endpoint-host': host,
    'leader-endpoint-port': String(advertised),
  });

export const streamDeleted = (stream: string): Error =>
  callError(status.FAILED_PRECONDITION, `Event stream '${stream}' is deleted.`, {
    exception: 'stream-deleted',
    'stream-name': stream,
  });

export const wrongVersion = (stream: string, expected: number, actual: number): Error =>
  callError(status.FAILED_PRECONDITION, `Delete failed due to WrongExpectedVersion. Stream: ${stream}`, {
    exception: 'wrong-expected-version',
    'stream-name': stream,
    'expected-version': String(expected),
    'actual-version': String(actual),
  });

export const accessDenied = (): Error =>
  callError(status.PERMISSION_DENIED, 'Access Denied', { exception: 'access-denied' });

export const timedOut = (): Error => callError(status.ABORTED, 'Operation timed out: Commit phase timeout');

export const tooLarge = (most: number): Error =>
  callError(status.INVALID_ARGUMENT, `Maximum Append Size of ${most} Exceeded.`, {
    exception: 'maximum-append-size-exceeded',
    'maximum-append-size': String(most),
  });

export const unexpected = (details: string): Error => callError(status.UNKNOWN, details);

/** KurrentDB's word for a position inside an event. */
export const invalidPosition = (): Error => callError(status.INVALID_ARGUMENT, 'InvalidPosition');

/** When a server's process is killed during a call. */
export const reset = (): Error => callError(status.UNAVAILABLE, 'read ECONNRESET');

export const tooSlow = (): Error =>
  callError(status.ABORTED, 'Consumer too slow to handle event while live. Client resubscription required.');

/** When a server is stopped during a call. */
export const terminated = (): Error => callError(status.INTERNAL, 'Received RST_STREAM with code 0');
