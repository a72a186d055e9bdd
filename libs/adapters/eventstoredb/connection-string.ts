import { isIPv6 } from 'node:net';
import { readCertificates, readPrivateKey } from '#files';

/** Where a server listens. An IPv6 address has no brackets. */
export interface Host {
  readonly address: string;
  readonly port: number;
}

/** The content of a connection string, as far as Holdfast uses it. */
export interface Connection {
  readonly hosts: readonly Host[];
  /** Whether the one host is a name for all nodes. */
  readonly dnsDiscover: boolean;
  readonly defaultCredentials?: { readonly username: string; readonly password: string };
  readonly tls?: boolean;
  /** Files. */
  readonly tlsCAFile?: string;
  readonly userCertFile?: string;
  readonly userKeyFile?: string;
  readonly connectionName?: string;
  /** In milliseconds, as the next two; below zero: never. */
  readonly defaultDeadline?: number;
  readonly keepAliveInterval?: number;
  readonly keepAliveTimeout?: number;
  /** The names of options that have no effect here. */
  readonly ignored: readonly string[];
}

/** The schemes of EventStoreDB and of KurrentDB, which mean the same; each may be followed by `+discover`. */
const SCHEMES = ['esdb', 'kurrentdb', 'kdb', 'kurrent'];

const PORT = 2113;
const HOST = String.raw`(?:\[[^\]\s]+\]|[^\s:/?@,[\]]+)(?::\d{1,5})?`;
/** A password is mostly without the characters that end the hosts, and then nothing else is taken for one. */
const USER = String.raw`(?:(?<user>[^:@/?]+):(?<password>[^@/?]*)@|(?<user_>[^:@/?]+):(?<password_>[^@]*)@)?`;
const FORM = new RegExp(
  `^(?<scheme>${SCHEMES.join('|')})(?<discover>\\+discover)?://${USER}(?<hosts>${HOST}(?:,${HOST})*)/*(?:\\?(?<options>.*?))?/*$`,
);

/** How the value of an option is read. Clients write the names with any case, `_` and `-`. */
const READERS = {
  tls: truth,
  tlsCAFile: decodeURIComponent,
  userCertFile: decodeURIComponent,
  userKeyFile: decodeURIComponent,
  connectionName: decodeURIComponent,
  nodePreference: (value: string): string => flat(value),
  defaultDeadline: whole,
  keepAliveInterval: whole,
  keepAliveTimeout: whole,
} as const satisfies Readonly<Record<string, (value: string) => unknown>>;
/** What all clients know, and what nobody needs to hear of: Holdfast looks for the leader in its own way. */
const WITHOUT_EFFECT = ['maxDiscoverAttempts', 'discoveryInterval', 'gossipTimeout', 'throwOnAppendFailure'];

type Options = { [Name in keyof typeof READERS]?: ReturnType<(typeof READERS)[Name]> };

/**
 * Reads a connection string. The official client's error would repeat parts of a wrong one, and so would its warnings.
 * @throws TypeError for text that is no connection string, or that asks for another node than the leader
 */
export function connectionOf(url: string): Connection {
  const groups = FORM.exec(url.trim())?.groups;
  const read = groups && readGroups(groups);
  if (read === undefined) {
    throw new TypeError('EVENTSTORE_URL is not a connection string such as esdb://127.0.0.1:2113?tls=false');
  }
  const { nodePreference = 'leader', ...connection } = read;
  if (nodePreference !== 'leader') {
    throw new TypeError(
      `EVENTSTORE_URL asks for nodePreference=${nodePreference}: Holdfast must read from the leader. ` +
        'Leave it out, or set nodePreference=leader.',
    );
  }
  return connection;
}

/** undefined if anything cannot be read. */
function readGroups(groups: Readonly<Record<string, string | undefined>>): (Connection & Options) | undefined {
  const { discover, hosts = '', options = '' } = groups;
  const [user, password = ''] = [groups['user'] ?? groups['user_'], groups['password'] ?? groups['password_']];
  try {
    const defaultCredentials = user && {
      username: decodeURIComponent(user),
      password: decodeURIComponent(password),
    };
    return {
      ...optionsIn(options),
      hosts: hosts.split(',').map(hostOf),
      dnsDiscover: discover !== undefined,
      ...(defaultCredentials && { defaultCredentials }),
    };
  } catch {
    return undefined;
  }
}

function hostOf(text: string): Host {
  const [, bracketed, name, port = String(PORT)] = /^(?:\[(.+)\]|([^:]+))(?::(\d+))?$/.exec(text) ?? [];
  const address = bracketed ?? name ?? '';
  if (Number(port) < 1 || Number(port) > 65_535 || (bracketed !== undefined && !isIPv6(bracketed)))
    throw new TypeError();
  return { address, port: Number(port) };
}

function optionsIn(text: string): Options & Pick<Connection, 'ignored'> {
  const known = new Map([...Object.keys(READERS), ...WITHOUT_EFFECT].map((name) => [flat(name), name]));
  const options: Record<string, unknown> = {};
  const ignored: string[] = [];
  for (const pair of text === '' ? [] : text.split('&')) {
    const [, key = '', value = ''] = /^([^=]+)=(.+)$/.exec(pair) ?? [];
    if (key === '') throw new TypeError();
    const name = known.get(flat(key));
    const reader = (READERS as Readonly<Record<string, (value: string) => unknown>>)[name ?? ''];
    if (reader !== undefined && name !== undefined) options[name] = reader(value.trim());
    else if (name === undefined) ignored.push(key);
  }
  return { ...options, ignored };
}

function flat(name: string): string {
  return name.trim().toLowerCase().replace(/[_-]/g, '');
}

function truth(value: string): boolean {
  if (!/^(true|false)$/i.test(value)) throw new TypeError();
  return value.toLowerCase() === 'true';
}

function whole(value: string): number {
  if (!/^-?\d+$/.test(value)) throw new TypeError();
  return Number(value);
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

/** A host as connection strings and gRPC write it. */
export function nameOf({ address, port }: Host): string {
  return isIPv6(address) ? `[${address}]:${port}` : `${address}:${port}`;
}
