import type { PublicUrl } from './public-url.js';

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/i;

/**
 * Tells whether a `Host` is one that this service is reached under: that of its public URL, one of the others, or one of this
 * machine. A page that reaches it under another name has pointed that name at it.
 * @param others addresses or names, with or without a port
 */
export function ownHosts(publicUrl: PublicUrl, others: readonly string[] = []): (host: string) => boolean {
  return (host) => {
    const name = nameIn(host);
    if (LOOPBACK.test(name)) return true;
    const known = URL.canParse(publicUrl.href) ? [new URL(publicUrl.href).host, ...others] : others;
    return known.some((each) => each.toLowerCase() === host.toLowerCase() || each.toLowerCase() === name);
  };
}

/** A host without its port. */
function nameIn(host: string): string {
  return host.toLowerCase().replace(/:\d+$/, '');
}
