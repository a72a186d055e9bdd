import { lookup } from 'node:dns/promises';
import { type Connection, connectionOf, nameOf } from './connection-string.js';
import { membersKnownTo } from './gossip.js';
import type { WatchedBy } from './stream-watch.js';

/** Warns operators if the setting names one node of several: when that one is down, no other is asked. Never rejects. */
export async function warnOfSingleNode({
  url,
  onNotice,
}: { readonly url: string } & Pick<WatchedBy, 'onNotice'>): Promise<void> {
  const connection = connectionOf(url);
  const [host] = connection.hosts;
  if (onNotice === undefined || host === undefined) return;
  try {
    if ((await addressesOf(connection)) > 1) return;
    const members = await membersKnownTo(connection, host);
    if (members.length < 2) return;
    const one = connection.dnsDiscover ? 'one address' : 'one node';
    onNotice(
      `EVENTSTORE_URL names ${one} (${nameOf(host)}) of a cluster of ${members.length}: name all of them ` +
        `(${members.map(nameOf).join(',')}), or the leader cannot be found while that one is down`,
    );
  } catch {
    // A server without gossip has no other nodes.
  }
}

/** How many nodes the setting names. One node may have an address of each family. */
async function addressesOf({ hosts, dnsDiscover }: Connection): Promise<number> {
  const [host] = hosts;
  if (!dnsDiscover || host === undefined || hosts.length > 1) return hosts.length;
  const addresses = await lookup(host.address, { all: true });
  return Math.max(...[4, 6].map((wanted) => addresses.filter(({ family }) => family === wanted).length));
}
