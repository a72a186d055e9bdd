import { type Append, AppendRefused } from '#eventsourcing';
import type { ServerRefusal } from './server.js';

/** The least size of an append, in bytes, that the server must take: the largest appends fit into it. docs/growing.md names it. */
export const LEAST_APPEND_SIZE = 1_048_576;

/**
 * The message about a refusal of the server: which stream, and what its operator must allow or raise.
 * @param named the stream as the server knows it
 */
export function refusalOf(
  { why, most }: ServerRefusal,
  { stream, events }: Pick<Append, 'stream'> & { readonly events: readonly { readonly data: object }[] },
  named: string,
): AppendRefused {
  const server = 'the event log’s server';
  const sizes = events.map(({ data }) => Buffer.byteLength(JSON.stringify(data)));
  const raised = `to ${LEAST_APPEND_SIZE} bytes at least`;
  switch (why) {
    case 'denied':
      return new AppendRefused(
        `${server} does not let its user write to the stream ${named}: allow that ($w in the stream’s $acl, or in $settings)`,
        stream,
      );
    case 'append too large': {
      const bound = most === undefined ? '' : ` of at most ${most} bytes`;
      return new AppendRefused(
        `${server} takes only appends${bound}, and refuses a larger one to the stream ${named}: raise its MaxAppendSize ${raised}`,
        stream,
        sizes.reduce((sum, each) => sum + each, 0),
      );
    }
    case 'event too large':
      return new AppendRefused(
        `${server} refuses an event to the stream ${named} as too large: raise its MaxAppendEventSize ${raised}`,
        stream,
        Math.max(...sizes),
      );
    case 'malformed':
      return new AppendRefused(`${server} refuses an append to the stream ${named} as malformed`, stream);
  }
}
