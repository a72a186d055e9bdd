import { streamOf, type Followers, type WorkList } from '#kernel';
import type { Codec } from '../events/codec.js';
import type { CommandLoop } from '../command-loop/command-loop.js';
import type { EventLogReader } from '../ports/event-log.js';
import { readEvent } from '../events/read-stream.js';
import { writeMissingFollowers } from './write-missing-followers.js';
import { directivesOf, keyOfFollower, type OpenFollower } from './followers.view.js';
import type { Origin, Work } from './open-work.js';

/** Runs the open rows: it runs the directives of each decision again, which writes what is missing. */
export function followersWork(
  list: WorkList<OpenFollower>,
  options: Origin & {
    readonly followers: readonly Followers[];
    readonly log: EventLogReader;
    readonly codec: Codec;
    readonly loop: CommandLoop;
  },
): Work<OpenFollower> {
  const directives = directivesOf(options.followers);
  return {
    list,
    async run(key, row) {
      for (const revision of row.revisions) {
        const stored = await readEvent(options.log, row.stream, revision);
        if (stored === undefined) throw new Error(`${row.stream}@${revision} is missing in the log`);
        const event = options.codec.decode(stored);
        const own = directives(event).filter((directive) => keyOfFollower(row.stream, streamOf(directive)) === key);
        await writeMissingFollowers(options, event, own);
      }
    },
  };
}
