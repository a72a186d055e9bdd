import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';
import { FORWARDED } from '#kernel/bounds';

/** What a request says of the addresses that it came through. */
interface Forwarded extends Pick<IncomingMessage, 'headers'> {
  readonly socket: { readonly remoteAddress?: string | undefined };
}

/** The trusted proxies in front of the service (ruling A3). */
export class Proxies {
  readonly #known = new BlockList();

  /**
   * @param ranges addresses, and ranges such as `10.0.0.0/8`
   * @throws RangeError with the first text that is neither
   */
  constructor(ranges: readonly string[] = []) {
    for (const range of ranges) {
      const [, address = '', bits] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(range) ?? [];
      const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
      const most = family === 'ipv6' ? 128 : 32;
      if (isIP(address) === 0 || Number(bits ?? 0) > most) throw new RangeError(range);
      this.#known.addSubnet(address, Number(bits ?? most), family);
    }
  }

  /** Whether there is any. */
  get exist(): boolean {
    return this.#known.rules.length > 0;
  }

  /** False for anything that is not an address: headers may hold any text. */
  trusts(address: string | undefined): boolean {
    const [plain = ''] = (address ?? '').split('%', 1);
    const version = isIP(plain);
    return version !== 0 && this.#known.check(plain, version === 6 ? 'ipv6' : 'ipv4');
  }

  /**
   * Cuts `X-Forwarded-For` to its end, which the trusted proxies have written: callers may send a long one, which costs time to
   * read. The first address may be cut in two by that, so it goes as well. Without a trusted proxy the header counts for nothing.
   */
  cutForwarded({ headers, socket }: Forwarded): void {
    const { 'x-forwarded-for': forwarded } = headers;
    if (typeof forwarded !== 'string' || forwarded.length <= FORWARDED) return;
    const end = forwarded.slice(-FORWARDED);
    headers['x-forwarded-for'] = this.trusts(socket.remoteAddress) ? end.slice(end.indexOf(',') + 1) : '';
  }
}
