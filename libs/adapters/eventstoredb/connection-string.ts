import {
  type ConnectionOptions,
  parseConnectionString,
} from '@eventstore/db-client/dist/Client/parseConnectionString.js';

/** Where a server listens. */
export interface Host {
  readonly address: string;
  readonly port: number;
}

/** The content of a connection string. */
export type Connection = Readonly<ConnectionOptions>;

/**
 * Reads a connection string. The client's own error would repeat parts of a wrong one and not name the setting.
 * @throws TypeError for text that is no connection string, or that asks for another node than the leader
 */
export function connectionOf(url: string): Connection {
  let connection: Connection;
  try {
    connection = parseConnectionString(url);
  } catch {
    throw new TypeError('EVENTSTORE_URL is not a connection string such as esdb://127.0.0.1:2113?tls=false');
  }
  const { nodePreference = 'leader' } = connection;
  if (nodePreference !== 'leader') {
    throw new TypeError(
      `EVENTSTORE_URL asks for nodePreference=${nodePreference}: Holdfast must read from the leader. ` +
        'Leave it out, or set nodePreference=leader.',
    );
  }
  return connection;
}

/** Whether to look for the leader among several nodes. */
export function discovers({ hosts, dnsDiscover }: Connection): boolean {
  return dnsDiscover || hosts.length > 1;
}

/** The hosts in the setting, for operators. */
export function hostsOf({ hosts }: Connection): string {
  return hosts.map(nameOf).join(', ');
}

export function nameOf({ address, port }: Host): string {
  return `${address}:${port}`;
}
