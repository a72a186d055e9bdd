import {
  type ConnectionOptions,
  parseConnectionString,
} from '@eventstore/db-client/dist/Client/parseConnectionString.js';
import { readCertificates, readPrivateKey } from '#eventsourcing';

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

/** The PEM files that a connection string names. */
export interface Certificates {
  /** Of the authorities that are trusted; undefined: those of the system. */
  readonly tlsCAFile: Buffer | undefined;
  /** Of this client, with its key; undefined: it has none. */
  readonly userCertFile: Buffer | undefined;
  readonly userKeyFile: Buffer | undefined;
}

/**
 * Reads the PEM files that a connection string names.
 * @throws Error that names the option and the file if a file is missing or does not hold what it should
 */
export function certificatesOf({ tls, tlsCAFile, userCertFile, userKeyFile }: Connection): Certificates | undefined {
  if (tls === false) return undefined;
  const setting = (option: string): string => `EVENTSTORE_URL, option ${option}`;
  if ((userCertFile === undefined) !== (userKeyFile === undefined)) {
    throw new TypeError('EVENTSTORE_URL must have both of the options userCertFile and userKeyFile, or none of them');
  }
  return {
    tlsCAFile: tlsCAFile === undefined ? undefined : readCertificates(setting('tlsCAFile'), tlsCAFile).pem,
    userCertFile: userCertFile === undefined ? undefined : readCertificates(setting('userCertFile'), userCertFile).pem,
    userKeyFile: userKeyFile === undefined ? undefined : readPrivateKey(setting('userKeyFile'), userKeyFile).pem,
  };
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
