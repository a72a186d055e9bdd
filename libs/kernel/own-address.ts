/** Addresses that mean all addresses of a machine. They are not addresses that anybody can call. */
const ALL_ADDRESSES = /^(0+(\.0+){0,3}|[0:]*:[0:]*(ffff:0+(\.0+){3})?)$/;

const LOOPBACK = /^(127(\.\d+){3}|::1|localhost|::ffff:127(\.\d+){3})$/i;

/** Whether a host stands for all addresses of a machine. */
export function isEveryAddress(host: string): boolean {
  return ALL_ADDRESSES.test(host);
}

/** Whether a host is this machine, and no other one reaches it. */
export function isLoopback(host: string): boolean {
  return LOOPBACK.test(host);
}

/** The URL of a program that listens there, for callers on this machine if it listens at every address. */
export function urlAt({ host, port, tls }: { host: string; port: number; tls: boolean }): string {
  const local = host.includes(':') ? '::1' : '127.0.0.1';
  const shown = isEveryAddress(host) ? local : host;
  return `${tls ? 'https' : 'http'}://${inUrl(shown)}:${port}`;
}

/** A host as URLs and settings have it: an IPv6 address in brackets. */
export function inUrl(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}

/** A text `<address>:<port>`, with an IPv6 address in brackets. */
const PLACE = /^(?:\[([0-9a-fA-F:.]+(?:%\w+)?)\]|([^\s:/[\]@?#]+)):(\d{1,5})$/;

/** The place that such a text names; undefined if it is not one. */
export function placeOf(text: string): { readonly host: string; readonly port: number } | undefined {
  const [, ipv6, other, port = ''] = PLACE.exec(text) ?? [];
  const host = ipv6 ?? other;
  return host === undefined || Number(port) > 65_535 ? undefined : { host, port: Number(port) };
}

/**
 * Whether a service speaks TLS at its admin address. A loopback address stays plain HTTP, as the rule allows (ruling A3): the
 * certificate names the public host, which nobody calls there.
 */
export function isAdminTls(host: string, hasCertificate: boolean): boolean {
  return hasCertificate && !isLoopback(host);
}
