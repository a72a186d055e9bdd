import { z } from 'zod';
import { text, ValidationFailed } from '#http';

/** What a till has scanned, or what somebody has typed there. */
export const SCANNED = z.object({
  coupon: text('scanned').describe(
    'Whatever was scanned: the address in the QR code, the 12 digits of the barcode, or the coupon’s id in any case. Blanks around it do not matter.',
  ),
});

/** The path of a redemption URL below the service's own, in small letters: an id, perhaps with a slash behind it. */
const REDEMPTION = /^\/c\/([0-9a-f]+)\/*$/;

/**
 * The id or barcode in what was scanned (ruling I8).
 * @param publicUrl the start of the service's own URLs, without a slash at the end
 * @throws ValidationFailed for the URL of something else
 */
export function namedBy(scanned: string, publicUrl: string): string {
  const name = scanned.trim();
  if (!/^https?:\/\//i.test(name)) return name;
  const own = new URL(publicUrl);
  const url = URL.parse(name);
  if (url?.host !== own.host) throw wrong(`is an address of another service: this one’s begin with ${publicUrl}/C/`);
  const [path, base] = [url.pathname.toLowerCase(), own.pathname.toLowerCase().replace(/\/$/, '')];
  const [, id] = (path.startsWith(base) && REDEMPTION.exec(path.slice(base.length))) || [];
  if (id === undefined) throw wrong(`is not the address of a coupon’s QR code, which begins with ${publicUrl}/C/`);
  return id;
}

function wrong(message: string): ValidationFailed {
  return new ValidationFailed([{ type: 'invalid', message, field: 'coupon', resource: 'coupon' }]);
}
