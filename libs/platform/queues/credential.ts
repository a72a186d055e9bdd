import { HEADERS } from '#kernel/bounds';

/** The token in an `Authorization` header: a bearer token, or the password of HTTP Basic with any name. */
export function credentialOf(authorization: string | undefined): string | undefined {
  if (authorization === undefined || authorization.length > HEADERS.Authorization) return undefined;
  const [, scheme = '', sent = ''] = /^(Bearer|Basic) (\S+)$/i.exec(authorization) ?? [];
  if (scheme.toLowerCase() === 'bearer') return sent;
  // A name has no colon.
  return /^[^:]*:([^]+)$/.exec(Buffer.from(sent, 'base64').toString())?.[1];
}
