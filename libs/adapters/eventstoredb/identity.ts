import { randomUUID } from 'node:crypto';
import { NO_STREAM } from '#eventsourcing';
import type { Server } from './server.js';

/** What stands in the place of the log's identity is none. */
export class IdentityUnreadable extends Error {
  override name = 'IdentityUnreadable';
}

/**
 * The log's identity, made by whoever comes first. It is the metadata of a stream that has no events: so it is the system's
 * to every reader, and lasts as long as the server's data.
 * @throws IdentityUnreadable when somebody has put something else there
 */
export async function identityOf(server: Server, prefix: string): Promise<string> {
  const stream = `$$${prefix}holdfast`;
  const found = await server.readStream(stream, 0, 1);
  if (found !== undefined) {
    const identity = (found[0]?.data as { identity?: unknown } | null | undefined)?.identity;
    if (typeof identity === 'string' && identity !== '') return identity;
    throw new IdentityUnreadable(
      `the metadata of the stream ${prefix}holdfast at EventStoreDB do not name the event log (no "identity"): somebody ` +
        'has set others there. Put the former ones back.',
    );
  }
  // Of any number of processes one creates the stream, and all of them read what that one has written.
  await server.append(stream, NO_STREAM, [{ id: randomUUID(), type: '$metadata', data: { identity: randomUUID() } }]);
  return identityOf(server, prefix);
}

/** Whether somebody has made it. */
export async function hasIdentity(server: Server, prefix: string): Promise<boolean> {
  return (await server.readStream(`$$${prefix}holdfast`, 0, 1)) !== undefined;
}
