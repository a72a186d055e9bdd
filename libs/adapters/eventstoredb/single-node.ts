import { connectionOf, discovers, nameOf } from './connection-string.js';
import { membersKnownTo } from './gossip.js';
import type { WatchedBy } from './stream-watch.js';

/** Warns operators if the setting names one node of several: when that one is down, no other is asked. Never rejects. */
export async function warnOfSingleNode({
  url,
  onNotice,
}: { readonly url: string } & Pick<WatchedBy, 'onNotice'>): Promise<void> {
  const connection = connectionOf(url);
  const [host] = connection.hosts;
  if (onNotice === undefined || host === undefined || discovers(connection)) return;
  try {
    const members = await membersKnownTo(connection, host);
    if (members.length < 2) return;
    onNotice(
      `EVENTSTORE_URL names one node (${nameOf(host)}) of a cluster of ${members.length}: name all of them ` +
        `(${members.map(nameOf).join(',')}), or the leader cannot be found while that one is down`,
    );
  } catch {
    // A server without gossip has no other nodes.
  }
}
