const OURS = /^\/(operators|auditors|health|metrics|openapi|docs)(\/|\.|\?|$)/;

/**
 * Brings the paths of the interface to one form (ruling A1): `/v1` and `/api/v1` are dropped, and so is a `.json` suffix.
 * The paths of operators, auditors and health checks stay as they are, and answer without a prefix only.
 */
export function plainPath(url: string): string {
  const end = url.indexOf('?');
  const path = end < 0 ? url : url.slice(0, end);
  const query = end < 0 ? '' : url.slice(end);
  let plain = path;
  if (plain.startsWith('/v1/')) plain = plain.slice(3);
  else if (plain.startsWith('/api/v1/')) plain = plain.slice(7);
  if (OURS.test(plain)) return url;
  if (plain.endsWith('.json')) plain = plain.slice(0, -5);
  return plain + query;
}
