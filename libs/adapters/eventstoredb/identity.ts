import { randomUUID } from 'node:crypto';
import { NO_STREAM } from '#eventsourcing';
import type { Server } from './server.js';

/**
 * The log's identity, made by whoever comes first. It is the metadata of a stream that has no events: so it is the system's
 * to every reader, and lasts as long as the server's data.
 */
export async function identityOf(server: Server, prefix: string): Promise<string> {
  const stream = `$$${prefix}holdfast`;
  const [found] = await server.readStream(stream, 0, 1);
  if (found !== undefined) return String((found.data as { identity?: unknown }).identity);
  // Of any number of processes one creates the stream, and all of them read what that one has written.
  await server.append(stream, NO_STREAM, [{ id: randomUUID(), type: '$metadata', data: { identity: randomUUID() } }]);
  return identityOf(server, prefix);
}
