import { isAdminTls } from '#kernel';
import type { Config } from './config.js';
import type { ListenAddress } from './listen-address.js';
import { reachOf, type Reached } from './reach.js';

/** Where a process listens for operators and auditors (ruling G11). */
export interface AdminPlace extends ListenAddress {
  readonly variable: 'ADMIN_HOST';
  /** Whether it speaks TLS there. */
  readonly tls: boolean;
}

/** Where a process listens for operators and auditors; undefined: where it listens for everybody. */
export function adminPlaceOf({ adminAddress, tls }: Pick<Config, 'adminAddress' | 'tls'>): AdminPlace | undefined {
  if (adminAddress === undefined) return undefined;
  return { ...adminAddress, variable: 'ADMIN_HOST', tls: isAdminTls(adminAddress.host, tls !== undefined) };
}

/** How callers reach an admin address. */
export function adminReachOf({ host, port, tls }: AdminPlace, { proxies }: Pick<Config, 'proxies'>): Reached {
  return reachOf({ host, port, tls, behindProxies: proxies.exist, local: `ADMIN_HOST=127.0.0.1:${port}` });
}
