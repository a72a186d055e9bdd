import { isIP } from 'node:net';

/** All callers without an address count together. */
const UNKNOWN = 'unknown';

/**
 * An address without a port or a zone, safe to log: a proxy may pass on any text.
 * @param address undefined after the caller has reset their connection, although Fastify’s type of `ip` does not say so
 */
export function plainAddress(address: string | undefined): string {
  if (address === undefined) return UNKNOWN;
  const [, bracketed, bare] = /^\[([^\]]*)\](?::\d+)?$|^([\d.]+):\d+$/.exec(address) ?? [];
  const [plain = ''] = (bracketed ?? bare ?? address).split('%', 1);
  return isIP(plain) === 0 ? UNKNOWN : plain;
}

/**
 * The name that an address counts under: an IPv4 address itself, also in IPv6 form; for IPv6 its /64 network, because one
 * caller usually has all of its addresses. Drops a port, which some proxies add.
 */
export function networkOf(address: string | undefined): string {
  const plain = plainAddress(address);
  if (isIP(plain) !== 6) return plain;
  const groups = groupsOf(plain);
  const [high = 0, low = 0] = groups.slice(6);
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xff_ff;
  if (isMapped) return [high >> 8, high & 0xff, low >> 8, low & 0xff].join('.');
  return `${groups
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(':')}::/64`;
}

/** The eight numbers of an IPv6 address in any form. */
function groupsOf(address: string): readonly number[] {
  // The URL parser gives the canonical short form.
  const short = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [head = [], tail = []] = short.split('::').map((half) => (half === '' ? [] : half.split(':')));
  const zeros = Array<string>(8 - head.length - tail.length).fill('0');
  return [...head, ...zeros, ...tail].map((group) => Number.parseInt(group, 16));
}
