import type { Page } from '#eventsourcing/ports';
import { exceptionOf, lacking, READ_ALL } from './answers.js';
import type { LeaderReads } from './leader-reads.js';
import { allRead, backwardsRead, streamRead } from './messages.js';
import { NoEventThere, type Reads, type ServerEvent, StreamDeleted } from './server.js';

/** The longest read in milliseconds, including the search for the leader. */
const READ_WITHIN = 5_000;

/** The reads of a server, over one connection to its leader. */
export class ServerReads implements Reads {
  constructor(private readonly leader: Pick<LeaderReads, 'read'>) {}

  async readStream(stream: string, from: number, max: number): Promise<Page<ServerEvent> | undefined> {
    try {
      const { events, missing } = await this.leader.read(streamRead(stream, from, max), READ_WITHIN);
      return missing ? undefined : events;
    } catch (error) {
      if (exceptionOf(error) === 'stream-deleted') throw new StreamDeleted(stream, { cause: error });
      throw lacking(`read the stream ${stream}`, error);
    }
  }

  async readAll(from: bigint, max: number, names: readonly string[] = []): Promise<Page<ServerEvent>> {
    try {
      return (await this.leader.read(allRead(from, max, names), READ_WITHIN)).events;
    } catch (error) {
      const unexpected = error instanceof Error && /Unexpected ReadAllResult|InvalidPosition/.test(error.message);
      if (unexpected) throw new NoEventThere(`no event begins at the position ${from}`, { cause: error });
      throw lacking(READ_ALL, error);
    }
  }

  async readBack(
    before: bigint | undefined,
    max: number,
    names: readonly string[],
    within = READ_WITHIN,
  ): Promise<Page<ServerEvent>> {
    try {
      return (await this.leader.read(backwardsRead(before, max, names), within)).events;
    } catch (error) {
      throw lacking(READ_ALL, error);
    }
  }
}
