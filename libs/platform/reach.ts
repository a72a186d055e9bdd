import { isEveryAddress, isLoopback, urlAt } from '#kernel';

/** How callers reach a program that listens (ruling A3). */
export interface Reached {
  /** An address that answers callers on this machine; otherwise the one where the program listens. */
  readonly url: string;
  /** Whether it answers calls from this machine there. */
  readonly here: boolean;
  /** Whom it refuses, and what to set so that they reach it; undefined if it refuses nobody. */
  readonly advice: string | undefined;
}

/** What decides how callers reach the program. */
export interface Place {
  readonly host: string;
  readonly port: number;
  /** Whether the program itself speaks TLS. */
  readonly tls: boolean;
  /** Whether there are proxies that it trusts. */
  readonly behindProxies: boolean;
  /** The setting that makes it listen where this machine reaches it. */
  readonly local?: string;
}

/** How callers reach the program: plain HTTP works from loopback alone (ruling A3). */
export function reachOf({ host, port, tls, behindProxies, local: setting = 'HOST=127.0.0.1' }: Place): Reached {
  const url = urlAt({ host, port, tls });
  const isLocal = isLoopback(host);
  if (tls || isLocal) return { url, here: true, advice: undefined };
  const here = isEveryAddress(host);
  if (behindProxies) return { url, here, advice: here ? undefined : THROUGH_PROXIES };
  return { url, here, advice: `${here ? OTHERS : `${EVERYBODY} ${setting} answers this machine.`} ${HOW}` };
}

/** What makes other machines' calls HTTPS. */
const HOW =
  'Set TLS_CERT and TLS_KEY, or TRUSTED_PROXIES to the address of a proxy that ends TLS; PUBLIC_URL is then the https:// address that they call.';

const OTHERS = 'Plain HTTP works only from this machine: every other one gets 403 (https_required).';
const EVERYBODY = 'Plain HTTP works only at a loopback address: every call to this one gets 403 (https_required).';
const THROUGH_PROXIES = 'Calls come through the proxies in TRUSTED_PROXIES: any other gets 403 (https_required).';
